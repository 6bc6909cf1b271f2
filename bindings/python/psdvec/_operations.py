"""Training, counting, conversion, evaluation and other operations on files."""

import contextlib
import ctypes
import json
import os
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._abi import psdvec_vectors_format as Format
from ._context import Context
from ._counts import Counts
from ._errors import OptionError
from ._library import lib, text
from ._handle import CountsHandle, ModelHandle
from ._model import Model, Score
from ._options import Settings
from ._options import documented as _documented
from ._options import split
from ._results import members
from ._temporary import place
from ._texts import Inputs
from ._types import Path, Show, Texts


def _paths(paths: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(paths))(*(os.fsencode(path) for path in paths))


def _inputs(texts: Texts, counting: Dict[str, Any], given: Dict[Kind, Dict[str, Any]],
            twice: bool = False) -> Inputs:
    """The inputs of a call that counts; phrases are found in a first pass."""
    return Inputs(texts, twice or counting.get("phrases") == "auto",
                  given[Kind.OPTIONS_CONTEXT].get("tempdir"))


def _text_options(function: str, inputs: Inputs, given: Dict[str, Any]) -> Dict[str, Any]:
    """Counting options, with those that lists of tokens require."""
    if not inputs.tokens:
        return given
    for name in ("tokenizer", "phrases"):
        if name in given and given[name] != "whitespace":
            raise OptionError(f"{function}(): the texts are lists of tokens, so `{name}` has no effect")
    return {"tokenizer": "whitespace", **given}


@_documented([Kind.OPTIONS_TRAIN, Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT],
             "default")
def train(texts: Texts, output: Optional[Path] = None, *, progress: Show = None,
          **options: Any) -> Model:
    """Trains a model.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        A str or path is a file or folder: plain text, compressed, an archive, a Wikipedia dump, or a
        counts file. An iterable gives one document at a time, as text or as a list of tokens, and is
        never in memory as a whole.
    output : path, optional
        The file of the model. Without it, the model is in a temporary file, which is deleted with
        the model; `save` writes it elsewhere.
    progress : bool, "bar", "tqdm" or a function, optional
        Whether and how to show progress; by default a bar on a terminal and in a notebook. A
        function receives a `psdvec.Progress` about ten times per second.
    **options

    Returns
    -------
    Model

    Examples
    --------
    >>> model = psdvec.train(["the cat sat on the mat"] * 50, dim=3, min_count=1)
    >>> len(model)
    5
    """
    kinds = [Kind.OPTIONS_TRAIN, Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("train", kinds, options)
    preset = given[Kind.OPTIONS_TRAIN].get("preset", "default")
    settings = Settings(Kind.OPTIONS_TRAIN, preset, "train", given[Kind.OPTIONS_TRAIN])
    counting = {**given[Kind.OPTIONS_COUNT], **given[Kind.OPTIONS_TEXT]}
    folder, path = place(output)
    context = Context(given[Kind.OPTIONS_CONTEXT], "train", progress)
    with _inputs(texts, counting, given) as inputs:
        _solve("train", context, inputs, (lib.psdvec_train, lib.psdvec_train_text),
               settings.cast(_abi.psdvec_train_options), preset, counting, path)
    return Model(path, _handle=ModelHandle(path, folder=folder))


def _solve(function: str, context: Context, inputs: Inputs, calls: Tuple[Any, Any], options: Any,
           preset: str, counting: Dict[str, Any], path: str, vectors: bool = False) -> None:
    """Calls the first function of the library for a counts file or vectors, or the second one for
    texts."""
    if vectors or _is_counts(inputs):
        if counting:
            kind = "a file of vectors" if vectors else "a counts file"
            raise OptionError(f"{function}(): {inputs.paths[0]} is {kind}, so "
                              f"`{next(iter(counting))}` has no effect")
        context.run(calls[0], options, os.fsencode(inputs.paths[0]), os.fsencode(path), None)
        return
    settings = Settings(Kind.OPTIONS_COUNT, preset, function,
                        _text_options(function, inputs, counting))
    context.run(calls[1], options, settings.cast(_abi.psdvec_count_options), _paths(inputs.paths),
                len(inputs.paths), os.fsencode(path), None, None, inputs=inputs)


def _is_counts(inputs: Inputs) -> bool:
    """Whether the only input is a counts file. Other safetensors files are refused by the library."""
    if len(inputs.paths) != 1 or inputs.paths[0].startswith("/dev/fd/"):
        return False
    try:
        with open(inputs.paths[0], "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size)) if size < 10**7 else {}
    except (OSError, ValueError):
        return False
    return bool(header.get("__metadata__", {}).get("format") == "psdvec.counts")


class TrainPlan(NamedTuple):
    """What training would need. Sizes are in bytes.

    Examples
    --------
    >>> psdvec.plan(psdvec.count(texts, min_count=1), dim=8).dim
    8
    """

    words: int
    core_words: int
    dim: int
    core_in_memory: int   #: if streamed: the `core` up to which the pairs fit into memory; 0: none
    pairs: int            #: upper bound on the distinct pairs of core words
    memory: int           #: with everything in memory
    memory_least: int     #: with the pairs in a temporary file
    memory_budget: int
    streamed: bool        #: the pairs would be kept in a temporary file
    temporary_bytes: int
    output_bytes: int
    seconds: float        #: estimated


@_documented([Kind.OPTIONS_TRAIN, Kind.OPTIONS_CONTEXT], "default")
def plan(counts: Union[Path, Counts], **options: Any) -> TrainPlan:
    """Estimates the memory, disk space and time that `train` would need, without training.

    Parameters
    ----------
    counts : Counts or path
        A counts file.
    **options

    Returns
    -------
    TrainPlan

    Examples
    --------
    >>> counts = psdvec.count(["the cat sat on the mat"] * 50, min_count=1)
    >>> psdvec.plan(counts, dim=3).words
    5
    """
    given = split("plan", [Kind.OPTIONS_TRAIN, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_TRAIN, given[Kind.OPTIONS_TRAIN].get("preset", "default"), "plan",
                        given[Kind.OPTIONS_TRAIN])
    result = _abi.psdvec_train_plan()
    path = counts.path if isinstance(counts, Counts) else os.fspath(counts)
    Context(given[Kind.OPTIONS_CONTEXT], "plan").run(
        lib.psdvec_train_plan_make, settings.cast(_abi.psdvec_train_options), os.fsencode(path),
        ctypes.byref(result))
    return TrainPlan(**members(result))


@_documented([Kind.OPTIONS_CONTEXT])
def merge_counts(counts: Sequence[Union[Path, Counts]], output: Optional[Path] = None, *,
                 progress: Show = None, **options: Any) -> Counts:
    """Adds up counts.

    Parameters
    ----------
    counts : list of Counts or paths
        They must have been counted with the same settings.
    output : path, optional
        The counts file. Without it, the counts are in a temporary file.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Counts

    Examples
    --------
    >>> a, b = (psdvec.count(["a cat"] * n, min_count=1) for n in (2, 3))
    >>> psdvec.merge_counts([a, b])["a", "cat"]
    5.0
    """
    given = split("merge_counts", [Kind.OPTIONS_CONTEXT], options)
    paths = [one.path if isinstance(one, Counts) else os.fspath(one) for one in counts]
    folder, path = place(output, "counts")
    Context(given[Kind.OPTIONS_CONTEXT], "merge_counts", progress).run(
        lib.psdvec_counts_merge, _paths(paths), len(paths), os.fsencode(path), None)
    return Counts(path, _handle=CountsHandle(path, folder=folder))


@_documented([Kind.OPTIONS_IMPORT, Kind.OPTIONS_CONTEXT])
def import_counts(source: Path, output: Optional[Path] = None, *, progress: Show = None,
                  **options: Any) -> Counts:
    """Reads the counts of another program.

    Parameters
    ----------
    source : path
        The file of the other program, which may be compressed.
    output : path, optional
        The counts file. Without it, the counts are in a temporary file.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
    >>> counts.export("abc.mtx", "matrix-market", vocab_output="abc.words")
    >>> psdvec.import_counts("abc.mtx", format="matrix-market", vocab="abc.words")["a", "b"]
    2.0
    """
    given = split("import_counts", [Kind.OPTIONS_IMPORT, Kind.OPTIONS_CONTEXT], options)
    if "format" not in given[Kind.OPTIONS_IMPORT]:
        raise OptionError("import_counts(): give the `format`: 'glove', 'matrix-market' or "
                          "'top2grams'")
    settings = Settings(Kind.OPTIONS_IMPORT, None, "import_counts", given[Kind.OPTIONS_IMPORT])
    folder, path = place(output, "counts")
    Context(given[Kind.OPTIONS_CONTEXT], "import_counts", progress).run(
        lib.psdvec_counts_import, settings.cast(_abi.psdvec_import_options), os.fsencode(source),
        os.fsencode(path), None)
    return Counts(path, _handle=CountsHandle(path, folder=folder))


@_documented([Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def count(texts: Texts, output: Optional[Path] = None, *, preset: Optional[str] = None,
          progress: Show = None, **options: Any) -> Counts:
    """Counts which words occur together.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`.
    output : path, optional
        The counts file. Without it, the counts are in a temporary file.
    preset : "default" or "paper", optional
        Count as this preset of `train` does; `train` then gives the same vectors from the counts as
        from the texts.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts = psdvec.count(["a rose is a rose"] * 3, min_count=1, window=2)
    >>> counts["a", "rose"], counts.frequency("rose")
    (6.0, 6)
    """
    kinds = [Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("count", kinds, options)
    if preset not in (None, "default", "paper"):
        raise OptionError(f"count(): `preset` must be 'default' or 'paper', not {preset!r}")
    folder, path = place(output, "counts")
    context = Context(given[Kind.OPTIONS_CONTEXT], "count", progress)
    counting = {**given[Kind.OPTIONS_COUNT], **given[Kind.OPTIONS_TEXT]}
    with _inputs(texts, counting, given) as inputs:
        settings = Settings(Kind.OPTIONS_COUNT, preset, "count",
                            _text_options("count", inputs, counting))
        context.run(lib.psdvec_count, settings.cast(_abi.psdvec_count_options),
                    _paths(inputs.paths), len(inputs.paths), os.fsencode(path), None, inputs=inputs)
    return Counts(path, _handle=CountsHandle(path, folder=folder))


@_documented([Kind.OPTIONS_EXTEND, Kind.OPTIONS_CONTEXT])
def extend(model: Union[Path, Model], texts: Texts, output: Optional[Path] = None, *,
           progress: Show = None, **options: Any) -> Model:
    """Adds the words of new text to a model, without changing its vectors.

    Parameters
    ----------
    model : Model or path
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`. Texts are tokenized as the text of the model was; lists of tokens are
        taken as they are.
    output : path, optional
        The file of the new model.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Model
        A new model with the words of both.

    Examples
    --------
    >>> more = psdvec.extend(model, ["the duke inherits the castle"] * 9, min_count=5)
    >>> "duke" in more
    True
    """
    given = split("extend", [Kind.OPTIONS_EXTEND, Kind.OPTIONS_CONTEXT], options)
    source = model.path if isinstance(model, Model) else os.fspath(model)
    folder, path = place(output)
    context = Context(given[Kind.OPTIONS_CONTEXT], "extend", progress)
    with Inputs(texts, twice=True, folder=given[Kind.OPTIONS_CONTEXT].get("tempdir")) as inputs:
        form = {}
        if inputs.streamed:
            # Each element is a document, whatever the form of the model's text was.
            form = {"document": "line", "plain_text": True, "tokenized": inputs.tokens}
        settings = Settings(Kind.OPTIONS_EXTEND, None, "extend",
                            {**form, **given[Kind.OPTIONS_EXTEND]})
        context.run(lib.psdvec_extend, settings.cast(_abi.psdvec_extend_options),
                    os.fsencode(source), _paths(inputs.paths), len(inputs.paths),
                    os.fsencode(path), None, inputs=inputs)
    return Model(path, _handle=ModelHandle(path, folder=folder))


@_documented([Kind.OPTIONS_BASELINE, Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def baseline(texts: Texts, method: str, output: Optional[Path] = None, *, progress: Show = None,
             **options: Any) -> Model:
    """Trains vectors with another method, to compare with.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`. For "sparse", a Model or a file of vectors.
    method : str
        "sgns", "cbow", "glove", "svd", "ppmi", "cca" or "sparse".
    output : path, optional
        The file of the model.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Model

    Examples
    --------
    >>> other = psdvec.baseline(texts, "svd", dim=8, min_count=1)
    >>> other.info["method"]
    'svd'
    """
    kinds = [Kind.OPTIONS_BASELINE, Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("baseline", kinds, options)
    settings = Settings(Kind.OPTIONS_BASELINE, method, "baseline",
                        {"method": method, **given[Kind.OPTIONS_BASELINE]})
    folder, path = place(output)
    context = Context(given[Kind.OPTIONS_CONTEXT], "baseline", progress)
    counting = {**given[Kind.OPTIONS_COUNT], **given[Kind.OPTIONS_TEXT]}
    # word2vec reads its text once per epoch.
    with _inputs(texts, counting, given, twice=method in ("sgns", "cbow")) as inputs:
        _solve("baseline", context, inputs, (lib.psdvec_baseline, lib.psdvec_baseline_text),
               settings.cast(_abi.psdvec_baseline_options), method, counting, path,
               vectors=method == "sparse" and not inputs.streamed)
    return Model(path, _handle=ModelHandle(path, folder=folder))


@_documented([Kind.OPTIONS_CONVERT, Kind.OPTIONS_CONTEXT])
def convert(source: Path, output: Path, **options: Any) -> None:
    """Converts vectors from one format to another, that of the suffix of `output` by default.

    Parameters
    ----------
    source, output : path
    **options

    Examples
    --------
    >>> psdvec.convert("story.safetensors", "story.vec")
    >>> psdvec.load("story.vec").vector_size
    8
    """
    given = split("convert", [Kind.OPTIONS_CONVERT, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_CONVERT, None, "convert", given[Kind.OPTIONS_CONVERT])
    if "format" not in given[Kind.OPTIONS_CONVERT]:
        kind = ctypes.c_uint()
        if not lib.psdvec_vectors_format_of(os.fsencode(output), ctypes.byref(kind)):
            raise OptionError(f"convert(): the format of {os.fspath(output)!r} is not known by its "
                              "suffix; use .safetensors, .vec, .bin, .txt or .npy, or give `format`")
        settings.struct(_abi.psdvec_convert_options).format = Format(kind.value)
    Context(given[Kind.OPTIONS_CONTEXT], "convert").run(
        lib.psdvec_convert, settings.cast(_abi.psdvec_convert_options), os.fsencode(source),
        os.fsencode(output))


@_documented([Kind.OPTIONS_EVAL, Kind.OPTIONS_CONTEXT])
def evaluate(models: Union[Model, Sequence[Model], Mapping[str, Model]],
             sets: Union[None, Path, Sequence[Path]] = None, *, builtin: bool = False,
             progress: Show = None, **options: Any) -> "Scores":
    """Scores models on test sets, with confidence intervals and the significance of differences.

    Parameters
    ----------
    models : Model, list of Model, or dict of Model
        The keys of a dict are the names of the models in tables.
    sets : path or list of paths, optional
        Files or folders with similarity ratings, analogies, choices or categories. Without them,
        the sets that are built into the library are used.
    builtin : bool
        Use the built-in sets in addition to `sets`.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Scores
        A list of `Score`, in the order of test sets, sections, measures and models, with the
        differences of the models in `differences`. ``print(scores.table())`` shows them side by
        side.

    Examples
    --------
    >>> scores = psdvec.evaluate([model, model.with_spelling(0)], "pairs.txt")
    >>> scores.models, len(scores.differences)
    ([0, 1], 1)
    """
    given = split("evaluate", [Kind.OPTIONS_EVAL, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_EVAL, None, "evaluate", given[Kind.OPTIONS_EVAL])
    context = Context(given[Kind.OPTIONS_CONTEXT], "evaluate", progress)
    if isinstance(models, Model):
        names, chosen = [_name(models, 0)], [models]
    elif isinstance(models, Mapping):
        names, chosen = [str(name) for name in models], list(models.values())
    else:
        chosen = list(models)
        names = [_name(model, k) for k, model in enumerate(chosen)]
    owned: List[int] = []
    report = ctypes.c_void_p()
    with open_sets(context, sets) as given_tests:
        try:
            if sets is None or builtin:
                for i in range(lib.psdvec_test_builtin_count()):
                    one = ctypes.c_void_p()
                    context.call(lib.psdvec_test_builtin, i, ctypes.byref(one))
                    owned.append(one.value or 0)
            tests = owned + given_tests
            context.run(lib.psdvec_eval, settings.cast(_abi.psdvec_eval_options),
                        ctypes.cast((ctypes.c_void_p * len(chosen))(*(m._model for m in chosen)),
                                    ctypes.c_void_p),
                        len(chosen),
                        ctypes.cast((ctypes.c_void_p * len(tests))(*tests), ctypes.c_void_p), len(tests),
                        ctypes.byref(report))
            return Scores(report, tests, names)
        finally:
            lib.psdvec_report_free(report)
            for test in owned:
                lib.psdvec_test_close(test)


@contextlib.contextmanager
def open_sets(context: Context, sets: Union[None, Path, Sequence[Path]]) -> Iterator[List[int]]:
    """The test sets of files and folders, which are open in the block."""
    lists: List[Any] = []
    tests: List[int] = []
    try:
        for path in [] if sets is None else [sets] if isinstance(sets, (str, os.PathLike)) else sets:
            handle, found = ctypes.c_void_p(), ctypes.c_size_t()
            context.call(lib.psdvec_test_list_open, os.fsencode(path), ctypes.byref(handle))
            lists.append(handle)
            array = ctypes.cast(lib.psdvec_test_list_get(handle, ctypes.byref(found)),
                                ctypes.POINTER(ctypes.c_void_p))
            tests += [array[k] for k in range(found.value)]
        yield tests
    finally:
        for handle in lists:
            lib.psdvec_test_list_close(handle)


def _name(model: Model, number: int) -> str:
    """What a model is called in tables."""
    if model._handle.folder is not None:
        return f"{model.info['method'] or 'model'} {number}"
    return os.path.splitext(os.path.basename(model.path))[0]


class Difference(NamedTuple):
    """The difference of two models on a test set.

    Examples
    --------
    >>> psdvec.evaluate([model, model], "pairs.txt").differences[0].difference
    0.0
    """

    test: str
    first: int            #: number of the first model, from 0
    second: int
    measure: str
    difference: float     #: score of the first model minus that of the second
    p: float              #: p-value; nan if it cannot be computed
    significant: bool


class Mistake(NamedTuple):
    """A question of a test set that a model fails.

    Examples
    --------
    >>> worst = psdvec.evaluate(model, "pairs.txt", mistakes=1).mistakes[0]
    >>> worst.test, len(worst.question.split()), worst.expected_rank != worst.answer_rank
    ('pairs', 2, True)
    """

    test: str
    section: Optional[str]
    model: int                  #: number of the model, from 0
    question: str               #: its words, with a space between them
    expected: Optional[str]     #: the right answer; None for similarities
    answer: Optional[str]       #: that of the model
    expected_rank: float        #: of the human rating, the most similar first; nan except for similarities
    answer_rank: float          #: of the cosine
    loss: float                 #: how wrong it is


class Scores(List[Score]):
    """Scores of one or more models.

    Attributes
    ----------
    models : list of int
        The number of the model of each score.
    names : list of str
        The names of the models.
    differences : list of Difference
    mistakes : list of Mistake
        With the option `mistakes`, the questions that the models fail most.

    Examples
    --------
    >>> scores = psdvec.evaluate(model, "pairs.txt")
    >>> [(score.test, score.known) for score in scores]
    [('pairs', 4)]
    """

    def __init__(self, report: Any, tests: Sequence[int], model_names: Sequence[str]):
        super().__init__()
        self.names = list(model_names)
        self.models: List[int] = []
        self.differences: List[Difference] = []
        self.mistakes: List[Mistake] = []
        names = [text(lib.psdvec_test_get_info(test).contents.name) for test in tests]
        count = ctypes.c_size_t()
        rows = lib.psdvec_report_scores(report, ctypes.byref(count))
        parts = {-1: None, -2: "semantic", -3: "syntactic"}
        for k in range(count.value):
            s = rows[k]
            section = (parts[s.section] if s.section < 0
                       else lib.psdvec_test_section(tests[s.test], s.section).decode())
            self.append(Score(names[s.test], section, _measure(s.measure), s.value, s.low, s.high,
                              s.known, s.total))
            self.models.append(s.model)
        rows = lib.psdvec_report_differences(report, ctypes.byref(count))
        for k in range(count.value):
            d = rows[k]
            self.differences.append(Difference(names[d.test], d.first, d.second, _measure(d.measure),
                                               d.difference, d.p, bool(d.significant)))
        rows = lib.psdvec_report_mistakes(report, ctypes.byref(count))
        for k in range(count.value):
            m = rows[k]
            section = (None if m.section < 0
                       else lib.psdvec_test_section(tests[m.test], m.section).decode())
            self.mistakes.append(Mistake(names[m.test], section, m.model, text(m.question),
                                         text(m.expected) or None, text(m.answer) or None, m.expected_rank,
                                         m.answer_rank, m.loss))

    def to_pandas(self) -> Any:
        """The scores as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            One row per score; the column `model` has the name of the model.

        Examples
        --------
        >>> model.evaluate("pairs.txt").to_pandas().test[0]
        'pairs'
        """
        import pandas
        frame = pandas.DataFrame(list(self), columns=Score._fields)
        frame.insert(0, "model", [self.names[m] for m in self.models])
        return frame

    def worse(self, score: Score, model: int) -> bool:
        """Whether a model is significantly worse than the best one on a test set.

        Parameters
        ----------
        score : Score
            A score on the whole test set.
        model : int
            The number of its model.

        Returns
        -------
        bool

        Examples
        --------
        >>> scores = psdvec.evaluate([model, model.with_spelling(0)], "pairs.txt")
        >>> scores.worse(scores[0], scores.models[0])
        False
        """
        same = [(s.value, m) for s, m in zip(self, self.models)
                if (s.test, s.section, s.measure) == (score.test, None, score.measure)
                and s.value == s.value]
        best = max(same)[1] if same else model
        return any(d.significant and (d.test, d.measure) == (score.test, score.measure)
                   and {d.first, d.second} == {best, model} for d in self.differences)

    def _rows(self, mark: str) -> List[List[str]]:
        """One row per test set and measure, with a cell for each model."""
        rows: Dict[Tuple[str, str], List[str]] = {}
        for score, model in zip(self, self.models):
            if score.section is not None:
                continue
            row = rows.setdefault((score.test, score.measure), [""] * (len(self.names) + 1))
            row[model] = "-" if score.value != score.value else \
                f"{score.value:.3f}{mark if self.worse(score, model) else ''}"
            row[-1] = f"{score.known}/{score.total}"
        return [[*key, *row] for key, row in rows.items()]

    def table(self) -> str:
        """The scores as a text table, with a column for each model.

        Returns
        -------
        str
            ``*`` marks scores that are significantly worse than the best.

        Examples
        --------
        >>> print(psdvec.evaluate({"mine": model}, "pairs.txt").table())
        test   measure    mine  known
        pairs  spearman  ...    4/4
        """
        rows = [["test", "measure", *self.names, "known"], *self._rows("*")]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        return "\n".join("  ".join(
            cell.ljust(width) if k < 2 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        from html import escape
        head = "".join(f"<th>{escape(name)}</th>"
                       for name in ("test", "measure", *self.names, "known"))
        body = "".join("<tr>" + "".join(
            f"<td style='text-align:{'left' if k < 2 else 'right'}'>{escape(cell)}</td>"
            for k, cell in enumerate(row)) + "</tr>" for row in self._rows("*"))
        note = "<p>* significantly worse than the best</p>" if len(self.names) > 1 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _measure(value: int) -> str:
    return _abi.psdvec_measure(value).name.replace("MEASURE_", "").lower()
