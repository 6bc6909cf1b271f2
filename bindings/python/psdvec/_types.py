"""Types of arguments and results."""

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    FloatArray = np.ndarray[Any, np.dtype[np.float32]]
    Array = np.ndarray[Any, np.dtype[Any]]
else:  # without parameters, for versions of numpy that have none
    FloatArray = Array = np.ndarray

Path = Union[str, "os.PathLike[str]"]
Word = Union[str, int]                        # a word, or its number
Query = Union[Word, Array, Tuple[Union[Word, Array], float]]  # a word or vector, perhaps with a weight
Queries = Union[None, Query, Iterable[Query]]
Document = Union[None, float, str, Iterable[str]]             # None and nan: a missing text
Texts = Union[Path, Iterable[Union["os.PathLike[str]", Document]]]


class Progress(NamedTuple):
    """The state of a long call, as a progress callback receives it.

    Examples
    --------
    >>> seen = []
    >>> counts = psdvec.count(["a b"] * 9, min_count=1, progress=seen.append)
    >>> all(isinstance(progress, psdvec.Progress) for progress in seen)
    True
    """

    stage: str          #: what is done: "reading", "counting", ...
    unit: str           #: the unit of `done` and `total`: "B", "words", "rows"
    done: int
    total: int          #: 0 while it is not known
    elapsed: float      #: seconds since the stage began
    remaining: float    #: estimated seconds left in the stage; negative if not known
    objective: float    #: the objective of training; nan if there is none yet


ProgressCallback = Callable[[Progress], None]
Show = Union[None, bool, str, ProgressCallback]
