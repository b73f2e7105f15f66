"""The two sides of bidirectional search in plain Python."""

from support.reference.oracle import Rules


def backward_layer(puzzle, h, k, threshold):
    """Each board with b = 2 g + k - h <= threshold on a shortest way to the goal, and its g."""
    rules = Rules.of(puzzle)
    found, frontier, g = {}, [puzzle.goal], 0
    while frontier:
        frontier = [s for s in frontier if s not in found and 2 * g + k(s) - h(s) <= threshold]
        found.update(dict.fromkeys(frontier, g))
        frontier = list({before for state in frontier for before in rules.predecessors(state)})
        g += 1
    return found


def has_plan_within(puzzle, start, h, k, horizon, threshold, stored):
    """Whether the forward search meets a stored board in time, all paths followed."""
    rules = Rules.of(puzzle)
    layer, g = {start}, 0
    while layer and g <= horizon:
        following = set()
        for state in layer:
            if g + h(state) > horizon:
                continue
            if 2 * g + h(state) - k(state) > threshold:
                if g + stored.get(state, horizon + 1) <= horizon:
                    return True
            elif state == puzzle.goal:
                return True
            else:
                following.update(after for _, after in rules.successors(state))
        layer, g = following, g + 1
    return False
