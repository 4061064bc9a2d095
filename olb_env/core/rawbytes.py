"""Records as plain bytes, which compiled code reads in long vector loops, and clears and copies in one go."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from olb_env.core.compiling import implements


def bytes_of(record: Any, count: int) -> Any:
    """Return the first `count` bytes of a record as a read-only array of int8."""
    return np.frombuffer(record.tobytes(), np.int8, count)


@intrinsic  # type: ignore[untyped-decorator]
def _bytes_at(_context: Any, record: Any, count: Any) -> Any:
    view = types.Array(types.int8, 1, "C", readonly=True)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(view)(context, builder)
        one = context.get_constant(types.intp, 1)
        arrayobj.populate_array(
            array,
            data=builder.bitcast(arguments[0], array.data.type),
            shape=[arguments[1]],
            strides=[one],
            itemsize=one,
            meminfo=None,
        )
        return array._getvalue()

    return view(record, types.intp), generate


@implements(bytes_of)
def _bytes_of(record: Any, count: Any) -> Any:
    if isinstance(record, types.Record):
        return lambda record, count: _bytes_at(record, count)
    return None


def clear(record: Any) -> None:
    """Set every field of a record to zero."""
    for name in record.dtype.names:
        record[name] = 0


@intrinsic  # type: ignore[untyped-decorator]
def _fill_zero(_context: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        cgutils.memset(builder, arguments[0], context.get_constant(types.intp, record.size), 0)
        return context.get_dummy_value()

    return types.void(record), generate


@implements(clear)
def _clear(record: Any) -> Any:
    if isinstance(record, types.Record):
        return lambda record: _fill_zero(record)
    return None


def copy_bytes(source: Any, target: Any) -> None:
    """Copy a record over another of the same dtype."""
    for name in source.dtype.names:
        target[name] = source[name]


@intrinsic  # type: ignore[untyped-decorator]
def _copy(_context: Any, source: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        size = context.get_constant(types.intp, source.size)
        cgutils.raw_memcpy(builder, arguments[1], arguments[0], size, 1)
        return context.get_dummy_value()

    return types.void(source, target), generate


@implements(copy_bytes)
def _copy_bytes(source: Any, target: Any) -> Any:
    if isinstance(source, types.Record) and source == target:
        return lambda source, target: _copy(source, target)
    return None
