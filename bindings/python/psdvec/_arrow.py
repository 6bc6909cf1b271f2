"""Columns of strings from other libraries, without importing them: the Arrow C data interface
(polars, pyarrow, DuckDB, pandas 3) and the DataFrame interchange protocol."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

from ._types import Array


class ArrowSchema(Structure):
    """struct ArrowSchema of the Arrow C data interface."""


class ArrowArray(Structure):
    """struct ArrowArray."""


class ArrowArrayStream(Structure):
    """struct ArrowArrayStream."""


_ReleaseSchema = ctypes.CFUNCTYPE(None, POINTER(ArrowSchema))
_ReleaseArray = ctypes.CFUNCTYPE(None, POINTER(ArrowArray))
_ReleaseStream = ctypes.CFUNCTYPE(None, POINTER(ArrowArrayStream))
_GetSchema = ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))
_GetNext = ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))
_GetError = ctypes.CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)), ("release", _ReleaseSchema), ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", _ReleaseArray), ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", _GetSchema), ("get_next", _GetNext), ("get_last_error", _GetError),
    ("release", _ReleaseStream), ("private_data", c_void_p)]

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]

_INDICES = {b"c": np.int8, b"C": np.uint8, b"s": np.int16, b"S": np.uint16, b"i": np.int32,
            b"I": np.uint32, b"l": np.int64, b"L": np.uint64}
_TEXTS = {b"u": np.int32, b"U": np.int64}
_LISTS = {b"+l": np.int32, b"+L": np.int64}


def _numbers(address: Optional[int], kind: Any, count: int) -> Array:
    """A copy of `count` numbers at an address."""
    if not address or count <= 0:
        return np.zeros(max(0, count), kind)
    data = ctypes.string_at(address, count * np.dtype(kind).itemsize)
    return np.frombuffer(data, kind)


def _known(array: ArrowArray) -> Optional[Array]:
    """Which elements are not null; None: all."""
    if array.null_count == 0 or not array.n_buffers or not array.buffers[0]:
        return None
    end = array.offset + array.length
    bits = np.unpackbits(_numbers(array.buffers[0], np.uint8, (end + 7) // 8), bitorder="little")
    return bits[array.offset:end].astype(bool)


def _texts(array: ArrowArray, kind: Any) -> List[str]:
    offsets = _numbers(array.buffers[1], kind, array.offset + array.length + 1)[array.offset:].tolist()
    if not offsets:
        return []
    first = offsets[0]
    data = ctypes.string_at(array.buffers[2] + first, offsets[-1] - first) if offsets[-1] > first else b""
    if data.isascii():
        text = data.decode("ascii")
        return [text[a - first:b - first] for a, b in zip(offsets, offsets[1:])]
    return [data[a - first:b - first].decode("utf-8", "replace")
            for a, b in zip(offsets, offsets[1:])]


def _views(array: ArrowArray) -> List[str]:
    """Strings of the format "vu": at most 12 bytes in the view, longer ones in a buffer."""
    views = _numbers(array.buffers[1], np.uint8, 16 * (array.offset + array.length))
    found = []
    for view in views.reshape(-1, 16)[array.offset:]:
        raw = view.tobytes()
        length = int.from_bytes(raw[:4], "little")
        if length <= 12:
            data = raw[4:4 + length]
        else:
            buffer, offset = int.from_bytes(raw[8:12], "little"), int.from_bytes(raw[12:], "little")
            data = ctypes.string_at(array.buffers[2 + buffer] + offset, length)
        found.append(data.decode("utf-8", "replace"))
    return found


def _values(schema: ArrowSchema, array: ArrowArray) -> List[Any]:
    """The elements of an array of strings, or of lists of strings; None for those that are null."""
    found: List[Any]
    if schema.dictionary:
        words = _values(schema.dictionary.contents, array.dictionary.contents)
        kind = _INDICES[schema.format]
        numbers = _numbers(array.buffers[1], kind, array.offset + array.length)[array.offset:]
        known = _known(array)
        if known is not None:
            numbers = np.where(known, numbers, 0)
        found = [words[i] for i in numbers.tolist()] if words else [None] * array.length
    elif schema.format in _TEXTS:
        found = _texts(array, _TEXTS[schema.format])
    elif schema.format == b"vu":
        found = _views(array)
    elif schema.format in _LISTS:
        begin = _numbers(array.buffers[1], _LISTS[schema.format],
                         array.offset + array.length + 1)[array.offset:].tolist()
        inner = _values(schema.children[0].contents, array.children[0].contents)
        found = [inner[a:b] for a, b in zip(begin, begin[1:])]
    else:
        raise TypeError("the column has the Arrow format "
                        f"{schema.format.decode('ascii', 'replace')!r}, but texts are strings or "
                        "lists of strings")
    known = _known(array)
    return found if known is None else [v if k else None for v, k in zip(found, known.tolist())]


def _column(schema: ArrowSchema) -> int:
    """The number of the only column of a table that has texts."""
    children = [schema.children[k].contents for k in range(schema.n_children)]
    suitable = [k for k, child in enumerate(children)
                if child.dictionary or child.format in (*_TEXTS, b"vu", *_LISTS)]
    if len(suitable) != 1:
        names = ", ".join(repr((child.name or b"").decode("utf-8", "replace")) for child in children)
        raise TypeError(f"the table has {len(suitable)} columns of texts (its columns are {names}); "
                        "give one column, such as table['text']")
    return suitable[0]


def _chunk(schema: ArrowSchema, array: ArrowArray, column: Optional[int]) -> List[Any]:
    if column is None:
        return _values(schema, array)
    values = _values(schema.children[column].contents, array.children[column].contents)
    # The children of a struct have their own offset in addition to that of the struct.
    return values[array.offset:array.offset + array.length]


def from_stream(source: Any) -> Iterator[Any]:
    """The elements of an object with `__arrow_c_stream__`, chunk by chunk."""
    capsule = source.__arrow_c_stream__()
    stream = ArrowArrayStream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))
    schema = ArrowSchema()

    def check(status: int) -> None:
        if status:
            said = stream.get_last_error(ctypes.byref(stream))
            raise OSError(status, (said or b"the Arrow stream failed").decode("utf-8", "replace"))
    try:
        check(stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
        column = _column(schema) if schema.format == b"+s" else None
        while True:
            array = ArrowArray()
            check(stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
            if not array.release:
                return
            try:
                values = _chunk(schema, array, column)
            finally:
                array.release(ctypes.byref(array))
            yield from values
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))
        del capsule  # releases the stream


def from_array(source: Any) -> Iterator[Any]:
    """The elements of an object with `__arrow_c_array__`."""
    schema_capsule, array_capsule = source.__arrow_c_array__()
    schema = ArrowSchema.from_address(_capsule_pointer(schema_capsule, b"arrow_schema"))
    array = ArrowArray.from_address(_capsule_pointer(array_capsule, b"arrow_array"))
    yield from _chunk(schema, array, _column(schema) if schema.format == b"+s" else None)
    del schema_capsule, array_capsule  # they release the structs


_STRING = 21  # the kind of string columns in the interchange protocol


def from_dataframe(source: Any) -> Iterator[Any]:
    """The texts of the only column of strings of an object with `__dataframe__`."""
    frame = source.__dataframe__()
    names = list(frame.column_names())
    suitable = [k for k in range(frame.num_columns()) if frame.get_column(k).dtype[0] == _STRING]
    if len(suitable) != 1:
        raise TypeError(f"the table has {len(suitable)} columns of texts (its columns are "
                        f"{', '.join(map(repr, names))}); give one column, such as table['text']")
    for chunk in frame.get_column(suitable[0]).get_chunks():
        yield from _interchanged(chunk)


def _buffer(pair: Any, kind: Any) -> Array:
    buffer = pair[0]
    return _numbers(buffer.ptr, kind, buffer.bufsize // np.dtype(kind).itemsize)


def _interchanged(chunk: Any) -> List[Any]:
    buffers = chunk.get_buffers()
    size, begin = chunk.size(), chunk.offset
    bits = buffers["offsets"][1][1]
    offsets = _buffer(buffers["offsets"], np.int32 if bits == 32 else np.int64)
    offsets = offsets[begin:begin + size + 1].tolist()
    data = _buffer(buffers["data"], np.uint8).tobytes()
    found: List[Any] = [data[a:b].decode("utf-8", "replace") for a, b in zip(offsets, offsets[1:])]
    validity = buffers.get("validity")
    if validity is None:
        return found
    missing_if = chunk.describe_null[1]
    if validity[1][1] == 1:
        valid = np.unpackbits(_buffer(validity, np.uint8), bitorder="little")
    else:
        valid = _buffer(validity, np.uint8)
    valid = valid[begin:begin + size]
    return [None if bit == missing_if else text for text, bit in zip(found, valid.tolist())]


def importer(source: Any) -> Optional[Callable[[Any], Iterator[Any]]]:
    """What reads an object of another library; None if it is iterated over."""
    if hasattr(source, "__arrow_c_stream__"):
        return from_stream
    if hasattr(source, "__arrow_c_array__"):
        return from_array
    return from_dataframe if hasattr(source, "__dataframe__") else None
