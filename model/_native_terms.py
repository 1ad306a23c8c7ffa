"""Z3 terms read into a flat, shared, topologically ordered list of nodes.

Z3's Python objects cost some ten microseconds each, so the terms are walked through the C interface; without recursion.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import z3

LITERAL, RIGID, STATE, OUTER, ACT = range(-1, 4)
"""The levels: what a node depends on. A node's level is the highest of its arguments' levels."""


class NativeError(ValueError):
    """A term, a field or a value that native code cannot take; the message names it and says what is wrong."""


class Node(NamedTuple):
    """One operation: arguments are positions of earlier nodes, ``width`` is in bits, 0 for a Bool."""

    kind: int
    arguments: tuple[int, ...]
    parameters: tuple[int, ...]
    width: int
    level: int


@dataclass(frozen=True)
class Variable:
    """Where a free variable's value comes from: a level, a position within that level's fields, and a width in bits."""

    level: int
    position: int
    width: int


class Terms:
    """The nodes of every term added so far; an equal subterm is one node.

    Args:
        variables: the fields by name; any other free variable in a term is an error.
        operators: the kinds of Z3 declarations that can be compiled; any other is an error.
    """

    def __init__(self, variables: Mapping[str, Variable], operators: Collection[int]) -> None:
        self.nodes: list[Node] = []
        self._variables = variables
        self._operators = operators
        self._reference = z3.main_ctx().ref()
        self._positions: dict[int, int] = {}
        self._kept: list[z3.ExprRef] = []

    def add(self, term: z3.ExprRef) -> int:
        """The position of a term's node, after adding the nodes that are new.

        Raises:
            NativeError: an unknown variable or operator, a sort that is not Bool or BitVec, a quantifier.
        """
        self._kept.append(term)
        pending = [(term.as_ast(), z3.Z3_get_ast_id(self._reference, term.as_ast()))]
        opened: dict[int, list[tuple[z3.Ast, int]]] = {}
        while pending:
            ast, identity = pending[-1]
            if identity in self._positions:
                pending.pop()
            elif identity in opened:
                pending.pop()
                self._append(ast, identity, tuple(self._positions[child] for _, child in opened[identity]))
            else:
                opened[identity] = self._children(ast)
                pending.extend(child for child in opened[identity] if child[1] not in self._positions)
        return self._positions[z3.Z3_get_ast_id(self._reference, term.as_ast())]

    def _children(self, ast: z3.Ast) -> list[tuple[z3.Ast, int]]:
        if z3.Z3_get_ast_kind(self._reference, ast) not in (z3.Z3_APP_AST, z3.Z3_NUMERAL_AST):
            raise NativeError(f"native code takes quantifier-free terms only, not {self._text(ast)}")
        count = z3.Z3_get_app_num_args(self._reference, ast)
        children = [z3.Z3_get_app_arg(self._reference, ast, number) for number in range(count)]
        return [(child, z3.Z3_get_ast_id(self._reference, child)) for child in children]

    def _append(self, ast: z3.Ast, identity: int, arguments: tuple[int, ...]) -> None:
        declaration = z3.Z3_get_app_decl(self._reference, ast)
        kind = z3.Z3_get_decl_kind(self._reference, declaration)
        level = max((max(self.nodes[argument].level, RIGID) for argument in arguments), default=LITERAL)
        width, parameters = self._width(ast), self._parameters(ast, kind, declaration)
        if kind == z3.Z3_OP_UNINTERPRETED:
            variable = self._variable(ast, declaration, arguments, width)
            level, parameters = variable.level, (variable.position,)
        elif kind not in self._operators:
            raise NativeError(f"native code has no operator {self._name(declaration)!r}, used in {self._text(ast)}")
        self._positions[identity] = len(self.nodes)
        self.nodes.append(Node(kind, arguments, parameters, width, level))

    def _parameters(self, ast: z3.Ast, kind: int, declaration: z3.FuncDecl) -> tuple[int, ...]:
        if kind == z3.Z3_OP_BNUM:
            return (int(z3.Z3_get_numeral_string(self._reference, ast)),)
        if kind not in self._operators:
            return ()
        count = z3.Z3_get_decl_num_parameters(self._reference, declaration)
        return tuple(z3.Z3_get_decl_int_parameter(self._reference, declaration, number) for number in range(count))

    def _width(self, ast: z3.Ast) -> int:
        sort = z3.Z3_get_sort(self._reference, ast)
        kind = z3.Z3_get_sort_kind(self._reference, sort)
        if kind == z3.Z3_BOOL_SORT:
            return 0
        if kind == z3.Z3_BV_SORT:
            return int(z3.Z3_get_bv_sort_size(self._reference, sort))
        name = z3.Z3_get_symbol_string(self._reference, z3.Z3_get_sort_name(self._reference, sort))
        raise NativeError(f"native code takes Bool and BitVec terms only, not the {name} {self._text(ast)}")

    def _variable(self, ast: z3.Ast, declaration: z3.FuncDecl, arguments: Sequence[int], width: int) -> Variable:
        name = self._name(declaration)
        variable = self._variables.get(name)
        if arguments or variable is None:
            raise NativeError(f"{self._text(ast)} is not a field: declare {name!r} in state, rigid or act")
        if max(width, 1) != variable.width:
            raise NativeError(f"field {name!r} has width {variable.width}, but a term uses it with width {width}")
        return variable

    def _name(self, declaration: z3.FuncDecl) -> str:
        return str(z3.Z3_get_symbol_string(self._reference, z3.Z3_get_decl_name(self._reference, declaration)))

    def _text(self, ast: z3.Ast) -> str:
        text = str(z3.Z3_ast_to_string(self._reference, ast))
        return text if len(text) <= 80 else text[:77] + "..."


def walk(nodes: Sequence[Node], roots: Sequence[int], stop: Mapping[int, object] | set[int], lowest: int) -> set[int]:
    """The nodes at or below the roots, of level ``lowest`` or above, without ``stop`` and what only those use."""
    found: set[int] = set()
    pending = [root for root in roots if nodes[root].level >= lowest and root not in stop]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending.extend(
                child for child in nodes[node].arguments if nodes[child].level >= lowest and child not in stop
            )
    return found


def boundary(nodes: Sequence[Node], roots: Sequence[int], inner: set[int]) -> set[int]:
    """The roots and arguments of inner nodes that are neither inner nor literals: what is needed from outside."""
    reached = {child for node in inner for child in nodes[node].arguments} | set(roots)
    return {node for node in reached if node not in inner and nodes[node].level != LITERAL}
