"""How long SAT may take to refute every length below a plan's, told before it begins."""

from dataclasses import dataclass

from plansolve.solvers.result import Result

__all__ = ["Effort", "expected_effort"]

# Fitted to the 20 boards of `plansolve generate --size 4x4 --count 20 --seed 6` and to 2023 boards
# of 8 to 11 moves, on two cores: seconds = scale * nodes ** power, of the boards that IDA* with
# pattern databases visits in the rounds below the plan's length.
_BY_NODES = {"half-layer": (0.05, 0.6), "permutation": (0.012, 0.9)}
# Where several tiles' moves are counted, the waste decides: the moves beyond the sum of distances.
# Two more cost ten times the conflicts; on Lloyd's square nine take a minute.
_WASTE_OF_A_MINUTE = 9
_HOPELESS = 20


@dataclass(frozen=True)
class Effort:
    """The seconds to expect, within a factor of three or so, and what they are judged by."""

    seconds: float
    judged_by: str

    def __str__(self) -> str:
        """For people: a number with a unit, and why."""
        seconds = self.seconds
        if seconds < 90:
            return f"about {max(1, round(seconds))} s, {self.judged_by}"
        if seconds < 5400:
            return f"about {seconds / 60:.0f} minutes, {self.judged_by}"
        if seconds < 86400:
            return f"about {seconds / 3600:.0f} hours, {self.judged_by}"
        return f"more than a day, {self.judged_by}"


def expected_effort(result: Result, encoding: str) -> Effort | None:
    """What refutations below the plan of `result` may cost; None where nothing tells."""
    if result.plan is None:
        return None
    last = len(result.plan) - 1
    if encoding == "full-layer":
        waste = last - 1 - result.statistics.initial_bound
        seconds = 60.0 * 10 ** (min(waste - _WASTE_OF_A_MINUTE, _HOPELESS) / 2)
        return Effort(seconds, f"to judge by the {waste} moves beyond the first bound")
    rounds = result.statistics.nodes_by_bound("idastar")
    if not rounds or encoding not in _BY_NODES:
        return None
    nodes = sum(count for bound, count in rounds.items() if bound <= last)
    scale, power = _BY_NODES[encoding]
    return Effort(scale * nodes**power, f"to judge by the {nodes:,} boards that IDA* has visited")
