"""What must hold of a state, whatever the act, for a step to be possible: a guard with its acts forgotten."""

import z3

from tricklaw.model._native_terms import LITERAL, RIGID, Node, walk


class Gates:
    """Bounds on Boolean nodes by nodes of a lower level, added to the list of nodes.

    A node above the level is bounded from above and from below: an operation on Bools by the bounds of its arguments
    (kept by conjunction and disjunction, swapped by negation), anything else by true and false.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self._made: dict[tuple[int, tuple[int, ...]], int] = {}
        self.true, self.false = self._make(z3.Z3_OP_TRUE, ()), self._make(z3.Z3_OP_FALSE, ())

    def bound(self, root: int, level: int) -> int:
        """The least upper bound found of a Boolean node among nodes of at most this level."""
        bounds: dict[int, tuple[int, int]] = {}
        for number in sorted(walk(self.nodes, [root], set(), level + 1)):
            node = self.nodes[number]
            bounds[number] = self._bounds(node, [bounds.get(child, (child, child)) for child in node.arguments])
        return bounds[root][0] if root in bounds else root

    def _bounds(self, node: Node, parts: list[tuple[int, int]]) -> tuple[int, int]:
        """The bounds of a node, upper and lower, from those of its arguments."""
        match node.kind:
            case z3.Z3_OP_AND:
                return self._all([upper for upper, _ in parts]), self._all([lower for _, lower in parts])
            case z3.Z3_OP_OR:
                return self._any([upper for upper, _ in parts]), self._any([lower for _, lower in parts])
            case z3.Z3_OP_NOT:
                return self._not(parts[0][1]), self._not(parts[0][0])
            case z3.Z3_OP_IMPLIES:
                (upper, lower), then = parts
                return self._any([self._not(lower), then[0]]), self._any([self._not(upper), then[1]])
            case z3.Z3_OP_ITE if not node.width:
                (upper, lower), then, otherwise = parts
                above = [self._all([upper, then[0]]), self._all([self._not(lower), otherwise[0]])]
                below = [self._any([self._not(upper), then[1]]), self._any([lower, otherwise[1]])]
                return self._any(above), self._all(below)
            case _:
                return self.true, self.false

    def _all(self, parts: list[int]) -> int:
        return self._connect(z3.Z3_OP_AND, parts, self.true, self.false)

    def _any(self, parts: list[int]) -> int:
        return self._connect(z3.Z3_OP_OR, parts, self.false, self.true)

    def _connect(self, kind: int, parts: list[int], unit: int, zero: int) -> int:
        kept = tuple(dict.fromkeys(part for part in map(self._canonical, parts) if part != unit))
        if zero in kept or not kept:
            return zero if kept else unit
        return kept[0] if len(kept) == 1 else self._make(kind, kept)

    def _not(self, part: int) -> int:
        part = self._canonical(part)
        if part in (self.true, self.false):
            return self.false if part == self.true else self.true
        node = self.nodes[part]
        return node.arguments[0] if node.kind == z3.Z3_OP_NOT else self._make(z3.Z3_OP_NOT, (part,))

    def _canonical(self, part: int) -> int:
        """One node for each of true and false, whichever node a term has for it."""
        return {z3.Z3_OP_TRUE: self.true, z3.Z3_OP_FALSE: self.false}.get(self.nodes[part].kind, part)

    def _make(self, kind: int, arguments: tuple[int, ...]) -> int:
        key = kind, arguments
        if key not in self._made:
            level = max((max(self.nodes[argument].level, RIGID) for argument in arguments), default=LITERAL)
            self._made[key] = len(self.nodes)
            self.nodes.append(Node(kind, arguments, (), 0, level))
        return self._made[key]
