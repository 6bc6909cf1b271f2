"""Texts from iterables: lists, generators, arrays, columns of tables."""

import ctypes
import hashlib
import pathlib

import numpy as np
import pytest

import psdvec
from psdvec import _arrow, _texts

TEXTS = ["a cat and a dog", "ein Hündchen\nund eine Katze", None, "", "the cat"] * 3


def counts_of(texts, **options):
    counts = psdvec.count(texts, min_count=1, window=3, **options)
    return counts.info["documents"], {w: counts.frequency(w) for w in counts.index_to_key}


# ---- A producer of the Arrow C data interface, as polars and pyarrow are ------------------------
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def bits(flags):
    return np.packbits(np.array(list(flags), bool), bitorder="little").tobytes()


class Column:
    """Texts in chunks; `format` is that of Arrow. It counts what is released."""

    def __init__(self, chunks, format="u", table=False, offset=0, names=("text",)):
        self.chunks, self.format, self.table, self.offset = list(chunks), format, table, offset
        self.names = names
        self.keep = []
        self.made = self.released = 0

    def _release(self, kind):
        def release(pointer):
            self.released += 1
            ctypes.memset(ctypes.addressof(pointer.contents) + getattr(
                type(pointer.contents), "release").offset, 0, 8)
        callback = kind(release)
        self.keep.append(callback)
        self.made += 1
        return callback

    def _schema(self, schema, format, children=(), name=b"", dictionary=None):
        schema.format, schema.name = format, name
        self.keep += [format, name]
        self._children(schema, children, _arrow.ArrowSchema)
        if dictionary is not None:
            schema.dictionary = ctypes.pointer(dictionary)

    def _children(self, parent, children, kind):
        pointers = (ctypes.POINTER(kind) * max(1, len(children)))(*map(ctypes.pointer, children))
        self.keep += [pointers, *children]
        parent.children, parent.n_children = pointers, len(children)

    def _array(self, array, length, buffers, children=(), nulls=0, offset=0):
        raw = [None if b is None else ctypes.create_string_buffer(b, max(1, len(b))) for b in buffers]
        pointers = (ctypes.c_void_p * max(1, len(raw)))(
            *(None if r is None else ctypes.addressof(r) for r in raw))
        self.keep += [raw, pointers]
        array.length, array.null_count, array.offset = length, nulls, offset
        array.n_buffers, array.buffers = len(buffers), pointers
        self._children(array, children, _arrow.ArrowArray)

    def _texts(self, array, values, format, offset=0):
        if format == b"l":
            self._array(array, len(values), [None, bytes(8 * len(values))])
            return
        values = ["before"] * offset + list(values)
        valid = bits(v is not None for v in values)
        data = [(v or "").encode() for v in values]
        nulls, length = sum(v is None for v in values), len(values) - offset
        if format == b"vu":
            views, long = b"", b""
            for d in data:
                size = len(d).to_bytes(4, "little")
                if len(d) <= 12:
                    views += size + d.ljust(12, b"\0")
                else:
                    views += size + d[:4] + bytes(4) + len(long).to_bytes(4, "little")
                    long += d
            self._array(array, length, [valid, views, long], nulls=nulls, offset=offset)
            return
        kind = {b"u": np.int32, b"U": np.int64}[format]
        offsets = np.cumsum([0, *map(len, data)]).astype(kind).tobytes()
        self._array(array, length, [valid if nulls else None, offsets, b"".join(data)], nulls=nulls,
                    offset=offset)

    def _fill_schema(self, schema):
        if self.format == "dictionary":
            words = _arrow.ArrowSchema()
            self._schema(words, b"u")
            self._schema(schema, b"i", dictionary=words)
            self.keep.append(words)
        elif self.format.startswith("+"):
            item = _arrow.ArrowSchema()
            self._schema(item, b"u")
            self._schema(schema, self.format.encode(), [item])
        else:
            self._schema(schema, self.format.encode(), name=self.names[0].encode())

    def _fill_array(self, array, values):
        if self.format == "dictionary":
            words = sorted({v for v in values if v is not None})
            inner = _arrow.ArrowArray()
            self._texts(inner, words, b"u")
            valid = bits(v is not None for v in values)
            numbers = np.array([-1 if v is None else words.index(v) for v in values], np.int32)
            self._array(array, len(values), [valid, numbers.tobytes()],
                        nulls=sum(v is None for v in values))
            array.dictionary = ctypes.pointer(inner)
            self.keep.append(inner)
        elif self.format.startswith("+"):
            inner = _arrow.ArrowArray()
            self._texts(inner, [token for value in values for token in value or []], b"u")
            kind = np.int32 if self.format == "+l" else np.int64
            begin = np.cumsum([0, *(len(v or []) for v in values)]).astype(kind).tobytes()
            self._array(array, len(values), [None, begin], [inner])
        else:
            self._texts(array, values, self.format.encode(), self.offset)

    def __arrow_c_stream__(self, requested_schema=None):
        stream = _arrow.ArrowArrayStream()
        left = list(self.chunks)

        def get_schema(_stream, pointer):
            schema = pointer.contents
            if self.table:
                columns = []
                for k, name in enumerate(self.names):
                    column = _arrow.ArrowSchema()
                    self._schema(column, self.format.encode() if k == 0 else b"l", name=name.encode())
                    columns.append(column)
                self._schema(schema, b"+s", columns)
            else:
                self._fill_schema(schema)
            schema.release = self._release(_arrow._ReleaseSchema)
            return 0

        def get_next(_stream, pointer):
            if not left:
                return 0  # no release: the end
            values = left.pop(0)
            if values == "error":
                return 5
            array = pointer.contents
            if self.table:
                inner, other = _arrow.ArrowArray(), _arrow.ArrowArray()
                self._fill_array(inner, values)
                self._array(other, len(values), [None, bytes(8 * len(values))])
                self._array(array, len(values), [None], [inner, other][:len(self.names)])
            else:
                self._fill_array(array, values)
            array.release = self._release(_arrow._ReleaseArray)
            return 0
        stream.get_schema, stream.get_next = _arrow._GetSchema(get_schema), _arrow._GetNext(get_next)
        stream.get_last_error = _arrow._GetError(lambda _stream: b"the source is broken")
        self.keep += [stream, stream.get_schema, stream.get_next, stream.get_last_error]
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)


class OneArray(Column):
    """The same with `__arrow_c_array__`."""

    __arrow_c_stream__ = property()  # hasattr is false

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = _arrow.ArrowSchema(), _arrow.ArrowArray()
        self._fill_schema(schema)
        self._fill_array(array, self.chunks[0])
        self.keep += [schema, array]
        return (_new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
                _new_capsule(ctypes.addressof(array), b"arrow_array", None))


@pytest.mark.parametrize("format", ["u", "U", "vu", "dictionary"])
def test_arrow_columns(format):
    column = Column([TEXTS[:7], TEXTS[7:], []], format)
    assert counts_of(column) == counts_of(TEXTS)
    assert column.made == column.released == 4


def test_arrow_arrays_tables_and_slices():
    assert counts_of(OneArray([TEXTS])) == counts_of(TEXTS)
    assert counts_of(Column([TEXTS], "u", table=True)) == counts_of(TEXTS)
    assert counts_of(Column([TEXTS], "U", table=True, names=("text", "year"))) == counts_of(TEXTS)
    assert counts_of(Column([TEXTS], "u", offset=3)) == counts_of(TEXTS)
    assert counts_of(Column([TEXTS], "vu", offset=3)) == counts_of(TEXTS)


@pytest.mark.parametrize("format", ["+l", "+L"])
def test_arrow_lists_are_token_lists(format):
    tokens = [["New", "York"], [], ["a", "b", "c"]]
    assert counts_of(Column([tokens, tokens], format)) == counts_of(tokens * 2)


def test_arrow_columns_that_are_no_texts():
    with pytest.raises(TypeError, match="Arrow format 'l'"):
        psdvec.count(Column([TEXTS], "l"))
    with pytest.raises(TypeError, match="0 columns of texts .its columns are 'year'"):
        psdvec.count(Column([TEXTS], "l", table=True, names=("year",)))
    with pytest.raises(OSError, match="the source is broken"):
        psdvec.count(Column(["error"], "u"))


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": [t for t in TEXTS if t is not None], "year": 1})
    assert counts_of(frame) == counts_of(TEXTS)
    assert counts_of(pandas.Series(TEXTS, index=["path"] * len(TEXTS))) == counts_of(TEXTS)
    assert counts_of(pandas.Series(TEXTS, dtype="string")) == counts_of(TEXTS)
    assert counts_of(pandas.Series(TEXTS, dtype="category")) == counts_of(TEXTS)
    with pytest.raises(TypeError, match="2 columns of texts .*give one column"):
        psdvec.count(frame.assign(title="x"))


def test_arrays():
    texts = [t for t in TEXTS if t]
    assert counts_of(np.array(texts)) == counts_of(texts)
    assert counts_of(np.array(TEXTS, dtype=object)) == counts_of(TEXTS)
    assert counts_of(np.array([["New York", "b"], ["c", "d"]])) == counts_of(
        [["New York", "b"], ["c", "d"]])
    with pytest.raises(TypeError, match="array of str"):
        psdvec.count(np.array([b"a b"]))


def test_lists_of_tokens():
    plain = [["a", "b"], ["c"], []]
    assert counts_of(plain) == (2, {"a": 1, "b": 1, "c": 1})
    for other in (tuple(map(tuple, plain)), map(iter, plain), [np.array(p) for p in plain],
                  [None, *plain], [[["a"], ["b"]], [["c"]]]):
        assert counts_of(other) == counts_of(plain)
    tokens = ["New York", "tab\there", "new\nline", "para\u2029graph", "no-break\xa0space", "\ud800"]
    assert set(counts_of([tokens])[1]) == {"New_York", "tab_here", "new_line", "para_graph",
                                           "no-break\xa0space", "?"}
    with pytest.raises(TypeError, match="a token must be a str, not int"):
        psdvec.count([["a", 1]])
    with pytest.raises(TypeError, match="mixture"):
        psdvec.count([["a", "b"], "c d"])


def test_blocks_of_all_sizes_are_the_same_text():
    texts = [("word%d " % (k % 7)) * (1 + k * k % 900) for k in range(3000)]
    with _texts.Inputs(texts, twice=True) as inputs:
        data = pathlib.Path(inputs.paths[0]).read_bytes()
    assert data == "".join(t + "\n" for t in texts).encode()
    with _texts.Inputs([t.split() for t in texts], twice=True) as inputs:
        data = pathlib.Path(inputs.paths[0]).read_bytes()
    assert data == "".join(t.strip() + "\n" for t in texts).encode()


def test_files_do_not_record_temporary_names(documents, tmp_path):
    for k in (0, 1):
        model = psdvec.train(iter(documents), tmp_path / f"m{k}", dim=5, min_count=1)
        more = model.extend((d.replace("saxa", "fresh") for d in documents[:50]), tmp_path / f"e{k}",
                            min_count=3)
        psdvec.count(documents, tmp_path / f"c{k}", min_count=1, phrases="auto")
        psdvec.baseline(documents[:100], "sgns", tmp_path / f"s{k}", dim=5, min_count=1)
    for name in "mecs":
        digests = {hashlib.sha256((tmp_path / f"{name}{k}").read_bytes()).digest() for k in (0, 1)}
        assert len(digests) == 1, name
    assert [i["name"] for i in model.info["counts"]["inputs"]] == ["(Python iterable)"]
    assert "fresh" in more and b"/tmp" not in str(more.info).encode()
    assert psdvec.load_counts(tmp_path / "c0").info["inputs"][0]["name"] == "(Python iterable)"
