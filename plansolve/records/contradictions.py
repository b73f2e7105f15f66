"""Statements about one problem that cannot all be true."""

from collections.abc import Iterator, Sequence

from plansolve.records.rows import AttemptRow, BoardRow, Contradiction
from plansolve.text import counted

__all__ = ["contradictions_of"]


def contradictions_of(
    problem: str, boards: Sequence[BoardRow], attempts: Sequence[AttemptRow]
) -> Iterator[Contradiction]:
    """Yield what attempts at a problem, and the records of its boards, say against each other."""
    name = f"{boards[0].set_name}/{boards[0].name}" if boards else problem[:12]

    def told(what: str) -> Contradiction:
        return Contradiction(name, problem, what)

    plans = [(a.length, a) for a in attempts if a.length is not None]
    bounds = [(a.lower_bound, a) for a in attempts if a.lower_bound is not None]
    if plans and bounds:
        shortest, finder = min(plans, key=lambda item: item[0])
        bound, prover = max(bounds, key=lambda item: item[0])
        if shortest < bound:
            yield told(
                f"{finder.engine} found {counted(shortest, 'move')}, and {prover.engine} proved "
                f"that every plan has {bound} or more"
            )
    unsolvable = next((a for a in attempts if a.status == "unsolvable"), None)
    if plans and unsolvable is not None:
        yield told(
            f"{unsolvable.engine} proved that there is no plan, and {plans[0][1].engine} found one"
        )
    for board in boards:
        recorded = board.recorded_length
        if recorded is None:
            continue
        for attempt in attempts:
            if (what := _against_record(recorded, attempt)) is not None:
                yield Contradiction(f"{board.set_name}/{board.name}", problem, what)
                break


def _against_record(recorded: int, attempt: AttemptRow) -> str | None:
    says = f"the set records {counted(recorded, 'move')}, and {attempt.engine} "
    if attempt.status == "unsolvable":
        return f"{says}proved that there is no plan"
    if attempt.length is not None and attempt.length < recorded:
        return f"{says}found {attempt.length}"
    if attempt.lower_bound is not None and attempt.lower_bound > recorded:
        return f"{says}proved that every plan has {attempt.lower_bound} or more"
    return None
