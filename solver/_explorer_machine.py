"""What the explorer's loop needs of the machine: calls by address, prefetching, bits; how numba compiles it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
import platformdirs
from llvmlite import ir
from numba import njit, types
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic

Word: TypeAlias = np.uint64
F = TypeVar("F", bound=Callable[..., Any])

_config: Any = numba.config
_njit: Any = njit
_intrinsic: Any = intrinsic


@contextmanager
def user_cache() -> Iterator[None]:
    """Have numba keep what is decorated here in the user's cache directory, unless NUMBA_CACHE_DIR says where."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = before or str(platformdirs.user_cache_path("tricklaw") / "numba")
    try:
        yield
    finally:
        _config.CACHE_DIR = before


def inner(function: F) -> F:
    """Compile a function into those that call it; without reference counts, which would take most of the time."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, _njit(forceinline=True, _nrt=False, **wrappers)(function))


def outer(function: F) -> F:
    """Compile a function to be called from Python, and keep it on disk; nothing can be allocated in it."""
    return cast(F, _njit(cache=True, nogil=True, _nrt=False)(function))


def _call(builder: Any, values: Any) -> Any:
    pointer = ir.PointerType(ir.IntType(8))
    signature = ir.FunctionType(ir.VoidType(), [pointer] * (len(values) - 1))
    address, *arguments = values
    function = builder.inttoptr(address, signature.as_pointer())
    return builder.call(function, [builder.inttoptr(argument, pointer) for argument in arguments])


def _generate_call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    _call(builder, values)
    return context.get_dummy_value()


def _generate_prefetch(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    pointer, number = ir.PointerType(ir.IntType(8)), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
    builder.call(function, [builder.inttoptr(values[0], pointer), *(number(value) for value in (0, 3, 1))])
    return context.get_dummy_value()


def _generate_mix(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    word, wide = ir.IntType(64), ir.IntType(128)
    factor = builder.zext(builder.xor(values[0], word(0x2D358DCCAA6C78A5)), wide)
    product = builder.mul(factor, wide(0x8BB84B93962EACC9))
    return builder.xor(builder.trunc(product, word), builder.trunc(builder.lshr(product, wide(64)), word))


def _prepare(typing: Any, address: Any, w: Any, r: Any, t: Any) -> Any:
    return types.void(*[types.uint64] * 4), _generate_call


def _run(typing: Any, address: Any, t: Any, r: Any, w: Any, a: Any, o: Any) -> Any:
    return types.void(*[types.uint64] * 6), _generate_call


def _prefetch(typing: Any, address: Any) -> Any:
    return types.void(types.uint64), _generate_prefetch


def _mix(typing: Any, value: Any) -> Any:
    return types.uint64(types.uint64), _generate_mix


prepare: Callable[[Word, Word, Word, Word], None] = _intrinsic(_prepare)
"""Call a compiled function of three arrays: its address, theirs."""

run: Callable[[Word, Word, Word, Word, Word, Word], None] = _intrinsic(_run)
"""Call a compiled function of five arrays: its address, theirs."""

prefetch: Callable[[Word], None] = _intrinsic(_prefetch)
"""Ask for the cache line at an address."""

mix: Callable[[Word], Word] = _intrinsic(_mix)
"""The two halves of a product of 128 bits, combined: each bit of the result depends on all bits of the value."""

trailing_zeros: Callable[[Word], Word] = cast(Any, numbers).trailing_zeros
"""The position of the lowest bit that is 1."""
