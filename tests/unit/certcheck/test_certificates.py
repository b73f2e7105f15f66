"""Certificates: one contract for boards of all kinds, by SAT, with all plans, and by a search.

True ones are accepted, and nothing else, however it came about. The boards are so small that all
distances are known.
"""

import gzip
import json
import re
import shutil
from dataclasses import replace

import pytest
from support.fixtures import cases, certificates
from support.fixtures.certificates import make_all, units, write_units
from support.fixtures.small_rules import PLAIN, farthest, puzzles
from support.reference.oracle import Rules
from support.reference.placements import shortest_sequences

from plansolve.certcheck.certificate import Claim
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.options import CheckOptions
from plansolve.certcheck.search.units import run_units
from plansolve.claims import search_proof
from plansolve.claims.certificate import check_certificate, write_certificate
from plansolve.model.puzzle import OPEN, Operator, Puzzle

SIX = cases.make("sliding-gaps", 2, 3)


def letters():
    """Boards of two gaps, of three kinds of tiles, whose goal is whole or gives the first row."""
    yield replace(SIX, goal=(1, 2, 1, 3, 0, 0), pieces=())
    yield replace(SIX, goal=(1, 2, 3, OPEN, OPEN, OPEN), pieces=(0, 0, 1, 2, 3, 3))


def random_rules(seeds, gaps=1):
    for seed, puzzle in zip(seeds, puzzles(seeds, gaps), strict=True):
        effects = {operator.destinations(puzzle.cells) for operator in puzzle.operators}
        if gaps > 1 and len(effects) < len(puzzle.operators):
            continue  # Nothing lists plans where two moves may do the same to one board.
        problem, distances = farthest(puzzle)
        if distances[problem.start] > 1:
            yield f"{gaps}-{seed}", problem, distances


def with_gaps():
    yield from random_rules(range(50, 53), 2)
    yield from random_rules(range(50, 53), 3)
    for number, puzzle in enumerate((SIX, *letters())):
        problem, distances = farthest(puzzle)
        yield f"letters-{number}", problem, distances


def of_ones_own():
    """Rules without a blank whose moves have long names, one of them without an effect."""
    operators = (
        Operator("still", ()),
        Operator("né", ((0, 1), (1, 2), (2, 0))),
        Operator("échange", ((2, 3), (3, 2))),
    )
    puzzle = Puzzle("own", 1, 4, (1, 2, 3, 4), operators, tuple("01234"))
    return ("own", *farthest(puzzle))


FAMILIES = {
    "distinct": lambda: [*certificates.small_problems(), of_ones_own()],
    "alike": lambda: random_rules(range(40, 47)),
    "gaps": with_gaps,
}


@pytest.fixture(scope="module", params=FAMILIES)
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        certificates.cut_up(patch)
        if request.param == "gaps":
            # Then lookups are added, and some patterns do without the gaps.
            patch.setattr(search_proof, "_MOST_ENTRIES", 400)
        return make_all(folder, FAMILIES[request.param]())


def test_each_proves_its_plan_optimal(made):
    for one in made:
        report = check_certificate(one.folder, problem=one.problem)
        assert report.verdict == CheckVerdict.PROVED, report.steps[-1]
        stated = report.certificate
        assert report.lower_bound == len(stated.plan) == one.table[one.problem.start]
        assert one.problem.puzzle.is_goal(
            Rules.of(one.problem.puzzle).replay(one.problem.start, stated.plan)[-1]
        )
        way = one.folder.name.rsplit("-", 1)[1]
        assert way != "sat" or (stated.searched is None and {*stated.made_by["lemmas"]} <= PLAIN)
        if stated.searched is not None:
            assert any("searched" in step.seen for step in report.steps)
        assert report.is_every_plan == (way == "all") == (stated.plans is not None)
        if stated.plans is not None:
            assert len(stated.plans) == len(shortest_sequences(one.problem, one.table))
    stated = [certificates.read(one.folder) for one in made]
    assert any(len(one.plans or ()) > 1 for one in stated)
    assert {one.searched is None for one in stated} == {True, False}


# --- what is forged


def restated(folder, **changes):
    path = folder / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def rewritten(path, change):
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))


def last(folder, kind):
    """A file about the longest length that is refuted."""
    return folder / f"{certificates.read(folder).refuted[-1]}.{kind}.gz"


def exchanged(folder, stated):
    # What refutes the longer one may hold for the shorter one too, but not the other way round.
    for kind in ("cnf", "legend", "lrat"):
        one, other = (folder / f"{length}.{kind}.gz" for length in stated.refuted[-2:])
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)


def clause_more(folder, stated, counted=True):
    def change(text):
        head, *lines = text.splitlines(keepends=True)
        _, _, variables, count = head.split()
        head = b"p cnf %s %d\n" % (variables, int(count) + counted)
        return b"".join([head, *lines, b"1 0\n"])

    rewritten(last(folder, "cnf"), change)


def detour(problem):
    """The names of a move from the start and of one that takes it back; None without any."""
    applicable = problem.puzzle.applicable
    for away, operator in applicable(problem.start).items():
        there = operator.apply(problem.start)
        for back, other in applicable(there).items():
            if there != problem.start and other.apply(there) == problem.start:
                return away, back
    return None


def too_long(folder, stated):
    """A plan that goes there and back first; each file claims what it would for a shortest one."""
    length = len(stated.plan) + 2
    changes = {"plan": (*detour(stated.problem), *stated.plan), "lower_bound": length}
    if stated.searched is not None:
        changes["searched"] = length - 1
        search = json.loads((folder / "search.json").read_text())
        (folder / "search.json").write_text(json.dumps(search | {"bound": length - 1}))
    else:
        changes["refuted"] = (*stated.refuted, length - 2, length - 1)
        for copy in (length - 2, length - 1):
            for kind in ("cnf", "legend", "lrat"):
                shutil.copy(last(folder, kind), folder / f"{copy}.{kind}.gz")
    write_certificate(folder, replace(stated, **changes))


def unit_lost(place):
    def change(folder, stated):
        lines = units(folder)
        del lines[place(len(lines))]
        write_units(folder, lines)

    return change


def listed(change):
    def forge(folder, stated):
        plans = change(list(stated.plans))
        write_certificate(folder, replace(stated, plans=tuple(plans)))

    return forge


def without_plan(folder, stated):
    restated(folder, length=None, lower_bound=None, plans=None, refuted=[], searched=None,
             claimed=None)  # fmt: skip


FORGED = {
    "a length left out": (
        "sat",
        lambda folder, stated: restated(folder, refuted=[*stated.refuted[:-1]]),
        "the lower bound: it states .* nothing excludes a plan of",
    ),
    "the plan's own length": (
        "sat",
        lambda folder, stated: restated(folder, refuted=[*stated.refuted, len(stated.plan)]),
        "length .* the plan itself has no more moves",
    ),
    "lengths exchanged": ("sat", exchanged, "length "),
    "a clause more": ("sat", lambda *of: clause_more(*of, counted=False), "but the header says"),
    "a clause more, counted": ("sat", clause_more, "clause .* nothing shows|step .* is expected"),
    "a proof that is empty": (
        "sat",
        lambda folder, _: rewritten(last(folder, "lrat"), lambda text: b""),
        "ends before the empty clause",
    ),
    "a proof cut in half": (
        "sat",
        lambda folder, _: rewritten(
            last(folder, "lrat"), lambda t: b"".join(t.splitlines(True)[: -1])
        ),
        "ends before the empty clause",
    ),
    "a plan too long, by SAT": ("sat", too_long, "length "),
    "a plan too long, by a search": ("search", too_long, "the search to "),
    "the first unit left out": ("search", unit_lost(lambda n: 0), "units.txt.gz: "),
    "a unit left out": ("search", unit_lost(lambda n: n // 2), "units.txt.gz: "),
    "the last unit left out": ("search", unit_lost(lambda n: n - 1), "units.txt.gz: "),
    "no list of units": (
        "search", lambda folder, _: (folder / "units.txt.gz").unlink(), "units.txt.gz",
    ),
    "another bound in the search": (
        "search",
        lambda folder, stated: restated(folder, searched=stated.searched - 1,
                                        lower_bound=stated.searched),
        "the search to .* its bound is",
    ),
    "a plan less": ("all", listed(lambda plans: plans[:-1]), "the list of plans: "),
    "a plan twice": ("all", listed(lambda plans: [*plans, plans[0]]), "two of the plans"),
    "a plan that is none": (
        "all", listed(lambda plans: [*plans[:-1], plans[-1][:-1]]), "is not a plan of",
    ),
    "no plan at all": ("search", without_plan, "no plan at all: nothing here proves"),
    "a plan cut short": (
        "search",
        lambda folder, stated: write_certificate(
            folder, replace(stated, plan=stated.plan[:-1], lower_bound=0)
        ),
        "the plan: it does not reach the goal",
    ),
}  # fmt: skip


def fits(one, way, name):
    stated = certificates.read(one.folder)
    return (
        one.folder.name.endswith(way)
        and (way != "sat" or len(stated.refuted) > 1)
        and (way != "search" or stated.searched is not None)
        and ("twice" not in name or len(stated.plans) < 90)
        and ("less" not in name or len(stated.plans) > 1)
        and ("too long" not in name or detour(one.problem) is not None)
    )


@pytest.mark.parametrize("name", FORGED)
def test_what_is_forged_is_refuted_and_named(made, name, tmp_path):
    way, forge, said = FORGED[name]
    for one in [one for one in made if fits(one, way, name)][:2]:
        folder = certificates.copy_of(one, tmp_path)
        forge(folder, certificates.read(folder))
        report = check_certificate(folder)
        assert report.verdict == CheckVerdict.REFUTED and not report.is_every_plan
        step = report.steps[-1]
        assert not step.is_right
        assert re.search(said, f"{step.what}: {step.seen}"), step
        assert (report.lower_bound or 0) <= one.table[one.problem.start]


def test_each_forgery_fits_some_board(made):
    fitting = {name for name in FORGED if any(fits(one, FORGED[name][0], name) for one in made)}
    assert fitting >= {*FORGED} - {"a plan less"}


def test_a_listed_plan_that_no_unit_meets_is_named(made):
    """As where what others have searched, or a store has kept, lacks it."""

    def forgetful(tree, paths):
        for done in run_units(tree, paths, 1):
            yield done._replace(plans=done.plans[1:])

    one = next(one for one in made if one.folder.name.endswith("all"))
    report = check_certificate(one.folder, CheckOptions(searching=forgetful))
    assert report.verdict == CheckVerdict.REFUTED and not report.is_every_plan
    assert re.match(r"the search does not find plan \d+", report.steps[-1].seen)


def test_a_certificate_of_another_board_is_refuted(made):
    report = check_certificate(made[0].folder, problem=made[-1].problem)
    assert report.verdict == CheckVerdict.REFUTED and report.steps[-1].what == "the problem"


def test_a_claim_proves_nothing(made, tmp_path):
    one = next(one for one in made if fits(one, "sat", ""))
    folder = certificates.copy_of(one, tmp_path)
    stated = certificates.read(folder)
    least, *_ = stated.refuted
    claim = Claim("idastar", len(stated.plan), {"idastar": {"nodes": 1000}})
    write_certificate(folder, replace(stated, refuted=(), lower_bound=least, claim=claim))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.BOUNDS and report.lower_bound == least
    assert report.certificate.claim == claim
