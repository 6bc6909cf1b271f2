"""Comparison of systems: several methods trained on the same text and scored on the same tests."""

import ctypes
import os
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._context import Context, warn
from ._counts import Counts
from ._errors import CancelledError, OptionError, PsdvecError
from ._handle import CountsHandle, ModelHandle
from ._library import lib, text
from ._model import Model
from ._operations import Scores, _paths, _text_options, evaluate
from ._options import Settings
from ._options import documented as _documented
from ._options import split, table
from ._results import Records, html_table
from ._temporary import temporary
from ._texts import Inputs
from ._types import Path, Show, Texts

_SPARSE = "sparse-"
_COUNTING = ("window", "distance", "oov", "subsample")


class System(NamedTuple):
    """A system of a comparison, and what it cost.

    Examples
    --------
    >>> psdvec.compare_systems(texts, ["svd"], "pairs.txt", dim=4, min_count=1)[0].title
    'SVD of PPMI'
    """

    name: str
    title: str
    paper: str
    seconds: float   #: of training, without the counts that systems share
    memory: int      #: peak of the memory that the library allocated, in bytes
    error: str       #: why it failed; empty if it did not


class SystemsComparison(Records[System]):
    """The systems of a comparison, with their models and scores.

    Attributes
    ----------
    models : dict of Model
        The models of the systems that were trained, by name.
    scores : Scores
        Their scores, with the significance of differences.
    counts : list of Counts
        The counts that they were trained on.

    Examples
    --------
    >>> result = psdvec.compare_systems(texts, ["psd", "svd"], "pairs.txt", dim=4, min_count=1)
    >>> list(result.models), len(result.scores.differences)
    (['psd', 'svd'], 1)
    """

    _fields = System._fields

    def __init__(self) -> None:
        super().__init__()
        self.models: Dict[str, Model] = {}
        self.scores: Optional[Scores] = None
        self.counts: List[Counts] = []

    def table(self) -> str:
        """The scores as a text table, with a column for each system.

        Returns
        -------
        str
            ``*`` marks scores that are significantly worse than the best.

        Examples
        --------
        >>> result = psdvec.compare_systems(texts, ["svd"], "pairs.txt", dim=4, min_count=1)
        >>> result.table().splitlines()[0]
        'test   measure     svd  known'
        """
        return self.scores.table() if self.scores is not None else ""

    def to_pandas(self) -> Any:
        """The scores as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            With a row for each test set and measure, and a column for each system.

        Examples
        --------
        >>> result = psdvec.compare_systems(texts, ["svd"], "pairs.txt", dim=4, min_count=1)
        >>> list(result.to_pandas())
        ['svd']
        """
        frame = self.scores.to_pandas() if self.scores is not None else None
        if frame is None:
            return super().to_pandas()
        whole = frame[frame["section"].isna()]
        return whole.pivot_table(index=["test", "measure"], columns="model", values="value",
                                 sort=False, dropna=False)[list(self.models)]

    def _repr_html_(self) -> str:
        rows = [(s.name, s.title, f"{s.seconds:.1f} s", f"{s.memory / 2**20:.0f} MiB", s.error)
                for s in self]
        return ((self.scores._repr_html_() if self.scores is not None else "")
                + html_table(("system", "", "training", "memory", ""), rows))

    def __str__(self) -> str:
        return self.table()


def systems() -> Records[Tuple[str, str, str]]:
    """The systems that can be compared.

    Returns
    -------
    list of (str, str, str)
        Names, titles and papers.

    Examples
    --------
    >>> psdvec.systems()[0][0]
    'psd'
    """
    found: Records[Any] = Records()
    while True:
        pointer = lib.psdvec_system_at(len(found))
        if not pointer:
            return found
        system = pointer.contents
        found.append((text(system.name), text(system.title), text(system.paper)))


class _Work:
    """A comparison that is being made."""

    def __init__(self, function: str, given: Dict[Kind, Dict[str, Any]], inputs: Inputs,
                 own: bool, dim: Optional[int], restart: bool, folder: Optional[str],
                 progress: Show):
        self.function, self.given, self.inputs, self.own = function, given, inputs, own
        train = {} if dim is None else {"dim": dim}
        settings = Settings(Kind.OPTIONS_TRAIN, "default", function, train)
        self.dim = int(settings.struct(_abi.psdvec_train_options).dim)
        self.restart, self.folder, self.progress = restart, folder, progress
        self.counts: Dict[Tuple[Any, ...], Counts] = {}
        self.result = SystemsComparison()

    def place(self, name: str) -> Tuple[Any, str]:
        """Where a file goes: the folder of the caller, or a temporary one."""
        if self.folder is None:
            return temporary("counts" if name.endswith(".counts") else "model")
        return None, os.path.join(self.folder, name + ".safetensors")

    def context(self) -> Context:
        return Context(self.given[Kind.OPTIONS_CONTEXT], self.function, self.progress)

    def counting(self, system: Any) -> Settings:
        """The counting options of a system: those of the call, or those of its authors."""
        given = _text_options(self.function, self.inputs,
                              {**self.given[Kind.OPTIONS_COUNT], **self.given[Kind.OPTIONS_TEXT]})
        settings = Settings(Kind.OPTIONS_COUNT, "default", self.function, given)
        struct = settings.struct(_abi.psdvec_count_options)
        struct.hold_out = 0  # the same counts for all systems, of the complete text
        if self.own:
            before = {name: getattr(struct, name) for name in _COUNTING if name in given}
            lib.psdvec_system_counting(system, settings.cast(_abi.psdvec_count_options))
            for name, value in before.items():
                setattr(struct, name, value)
        return settings

    def counts_for(self, settings: Settings) -> Counts:
        """Counts made with these options; systems share them."""
        struct = settings.struct(_abi.psdvec_count_options)
        key = tuple(getattr(struct, name) for name in _COUNTING)
        if key not in self.counts:
            folder, path = self.place(f"{len(self.counts)}.counts")
            self.context().run(lib.psdvec_count, settings.cast(_abi.psdvec_count_options),
                               _paths(self.inputs.paths), len(self.inputs.paths),
                               os.fsencode(path), None, inputs=self.inputs)
            self.counts[key] = Counts(path, _handle=CountsHandle(path, folder=folder))
        return self.counts[key]

    def train(self, name: str, system: Any, source: Optional[str]) -> None:
        """Trains a system and adds it to the result; a failure leaves it out."""
        kind = system.contents
        title = text(kind.title) + (f" codes of {source}" if name.startswith("sparse") else "")
        settings = self.counting(system)
        begin, context = source, self.context()
        if source is not None:
            if source not in self.result.models:
                self._add(name, title, kind, 0.0, 0, f"it depends on {source}, which failed")
                return
            begin = self.result.models[source].path
        elif not kind.reads_text:
            begin = self.counts_for(settings).path
        folder, path = self.place(name)
        began, error = time.monotonic(), ""
        try:
            context.run(lib.psdvec_system_train, system, self.dim, self.restart,
                        os.fsencode(begin) if begin is not None else None,
                        settings.cast(_abi.psdvec_count_options), _paths(self.inputs.paths),
                        len(self.inputs.paths), os.fsencode(path), None, inputs=self.inputs)
            self.result.models[name] = Model(path, _handle=ModelHandle(path, folder=folder))
        except CancelledError:
            raise
        except PsdvecError as failure:
            error = str(failure)
        self._add(name, title, kind, time.monotonic() - began,
                  int(lib.psdvec_peak_memory(context.handle)), error)

    def _add(self, name: str, title: str, kind: Any, seconds: float, memory: int,
             error: str) -> None:
        if error:
            warn(f"{name} failed: {error}")
        self.result.append(System(name, title, text(kind.paper), seconds, memory, error))


def _chosen(methods: Optional[Sequence[str]], own: bool) -> Dict[str, Tuple[Any, Optional[str]]]:
    """The systems by name, each with the name of the system that it is made from; those that
    others are made from come first."""
    found: Dict[str, Tuple[Any, Optional[str]]] = {}
    known = [name for name, _, _ in systems()]

    def add(name: str) -> None:
        system = lib.psdvec_system_find(name.encode())
        source = text(system.contents.source) or None if system else None
        if name == "sparse" or (not system and name.startswith(_SPARSE)):
            source = source or name[len(_SPARSE):]
            name = _SPARSE + source
            system = lib.psdvec_system_find(b"sparse")
            if source in ("ppmi", "sparse") or source not in known:
                raise OptionError(f"compare_systems(): {name} must be sparse codes of a system with "
                                  "dense vectors, such as sparse-psd")
        if not system:
            raise OptionError(f"compare_systems(): there is no method {name!r}; the methods are "
                              f"{', '.join(known)}, and sparse-NAME for sparse codes of NAME")
        if source is not None and source not in found:
            add(source)
        found.setdefault(name, (system, source))
    if methods is None:
        for name in known:
            kind = lib.psdvec_system_find(name.encode()).contents
            if kind.usual or (own and kind.usual_with_own):
                add(name)
    else:
        for name in [methods] if isinstance(methods, str) else methods:
            add(name)
    if not found:
        raise ValueError("compare_systems(): give at least one method")
    return found


@_documented([Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], "default",
             without=("resume", "hold_out"))
def compare_systems(texts: Texts, methods: Optional[Sequence[str]] = None,
                    sets: Union[None, Path, Sequence[Path]] = None, *, dim: Optional[int] = None,
                    counting: str = "same", output: Optional[Path] = None, restart: bool = False,
                    resamples: Optional[int] = None, confidence: Optional[float] = None,
                    progress: Show = None, **options: Any) -> SystemsComparison:
    """Trains several systems on the same text and scores them on the same tests.

    All systems have the same vocabulary and number of dimensions. A system that fails is left out
    with a warning.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`.
    methods : list of str, optional
        The systems: "psd", "psd-paper", "psd-unreg", "psd-25k", "ppmi", "svd", "sgns", "cbow",
        "glove", "cca", "sparse", and "sparse-NAME" for sparse codes of the vectors of NAME. By
        default those of ``psdvec table``.
    sets : path or list of paths, optional
        Test sets, as for `evaluate`; by default those built into the library.
    dim : int, optional
        The number of dimensions; by default that of `train`.
    counting : {"same", "own"}
        Whether all systems count in the same way, or each as its authors did, except for options
        that are given.
    output : path, optional
        A folder for the models and counts; by default they are temporary files.
    restart : bool
        Do not resume interrupted training.
    resamples, confidence : optional
        As for `evaluate`.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    SystemsComparison
        A list of the systems with their cost; `models` has the models and `scores` the scores.
        ``print(result.table())`` shows the scores, ``to_pandas()`` makes a DataFrame of them.

    Examples
    --------
    >>> texts = ["a cat and a dog", "a dog and a cat"] * 50
    >>> result = psdvec.compare_systems(texts, ["psd", "svd"], dim=3, min_count=1)
    >>> list(result.models)
    ['psd', 'svd']
    """
    if counting not in ("same", "own"):
        raise ValueError(f"counting must be 'same' or 'own', not {counting!r}")
    given = split("compare_systems", [Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT],
                  options)
    chosen = _chosen(methods, counting == "own")
    folder = None if output is None else os.fspath(output)
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    with Inputs(texts, twice=True, folder=given[Kind.OPTIONS_CONTEXT].get("tempdir")) as inputs:
        work = _Work("compare_systems", given, inputs, counting == "own", dim, restart, folder,
                     progress)
        for name, (system, source) in chosen.items():
            work.train(name, system, source)
    result = work.result
    result.counts = list(work.counts.values())
    if result.models:
        result.scores = evaluate(
            result.models, sets, progress=progress, resamples=resamples, confidence=confidence,
            **{name: value for name, value in given[Kind.OPTIONS_CONTEXT].items()
               if name in table(Kind.OPTIONS_CONTEXT)})
    return result
