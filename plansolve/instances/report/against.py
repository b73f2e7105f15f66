"""Two stores of the same boards: what has become worse, and what better."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from plansolve.instances.report.figures import is_settled
from plansolve.records.rows import AttemptRow, BoardResult

__all__ = ["Comparison", "compared"]

_TIMES = 2.0
_SECONDS_THAT_MATTER = 1.0
_NODES_THAT_MATTER = 1_000_000


@dataclass
class Comparison:
    """What changed from an older store to a newer one, a line each; how many boards both have."""

    common: int = 0
    worse: list[str] = field(default_factory=list)
    better: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)


def compared(new: Iterable[BoardResult], old: Iterable[BoardResult]) -> Comparison:
    """Compare the best attempts at the problems that both have."""
    before = {result.problem.key: result.attempt for result in old}
    comparison = Comparison()
    seen: set[str] = set()
    for result in new:
        key = result.problem.key
        earlier, later = before.get(key), result.attempt
        if key in seen or key not in before:
            continue
        seen.add(key)
        comparison.common += 1
        _compare(f"{result.board.set_name}/{result.board.name}", later, earlier, comparison)
    return comparison


def _compare(
    name: str, new: AttemptRow | None, old: AttemptRow | None, comparison: Comparison
) -> None:
    if old is None or new is None:
        if new is None and old is not None:
            comparison.worse.append(f"{name}: not attempted, before {_known(old)}")
        return
    for one, other in ((new, old), (old, new)):
        length, bound = one.length, other.lower_bound
        if length is not None and bound is not None and length < bound:
            comparison.contradictions.append(
                f"{name}: a plan of {length} moves in one store, and in the other every plan has "
                f"{bound} or more"
            )
            return
    if (rank := _rank(new)) != (earlier := _rank(old)):
        lines = comparison.better if rank > earlier else comparison.worse
        lines.append(f"{name}: {_known(new)}, before {_known(old)}")
        return
    for what, now, then, matters in (
        ("seconds", new.seconds, old.seconds, _SECONDS_THAT_MATTER),
        ("nodes", new.nodes or 0, old.nodes or 0, _NODES_THAT_MATTER),
    ):
        if max(now, then) >= matters and max(now, then) >= _TIMES * min(now, then):
            lines = comparison.worse if now > then else comparison.better
            lines.append(f"{name}: {now:.10g} {what}, before {then:.10g}")


def _rank(attempt: AttemptRow) -> tuple[bool, bool, int, int]:
    """What makes one outcome better than another: proof, plan, its length, the bound."""
    length = attempt.length
    if is_settled(attempt):
        return True, True, 0, 0
    shortness = 0 if length is None else -length
    return False, length is not None, shortness, attempt.lower_bound or 0


def _known(attempt: AttemptRow) -> str:
    if attempt.status == "error":
        return "failed"
    if attempt.status == "optimal":
        return f"{attempt.length} moves proved"
    if is_settled(attempt):
        return attempt.status
    plan = "no plan" if attempt.length is None else f"a plan of {attempt.length}"
    return f"{plan}, bound {attempt.lower_bound}"
