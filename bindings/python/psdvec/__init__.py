"""psdvec: word embeddings from a generative model.

    >>> import psdvec
    >>> model = psdvec.train("wiki.txt.zst", dim=8, min_count=2)
    >>> model.most_similar("king", topn=1)[0][0]
    'prince'

`train`, `count` and other functions read files, or any iterable of texts or token lists. Models are
safetensors files; `load` opens them and vectors of other programs. The names of gensim's
``KeyedVectors`` work on models. `psdvec.sklearn` has a vectorizer for scikit-learn.
"""

from typing import TYPE_CHECKING, Any, List

from ._abi import VERSION as __version__
from ._counts import Counts, load_counts
from ._documents import (DocumentScore, DocumentScores, find_phrases, generate, next_words, score,
                         tokenize)
from ._errors import (CancelledError, FormatError, InputError, InternalError, NotFoundError,
                      NumericError, OptionError, OutOfMemoryError, OutputError, PsdvecError,
                      PsdvecWarning, ResourceError)
from ._model import Model, Score, from_bytes, from_gensim, load
from ._operations import Difference, Scores, baseline, convert, count, evaluate, extend, train
from ._results import Neighbours
from ._types import Progress

__all__ = [
    "CancelledError", "Counts", "Difference", "DocumentScore", "DocumentScores", "FormatError",
    "InputError", "InternalError", "Model", "Neighbours", "NotFoundError", "NumericError",
    "OptionError", "OutOfMemoryError", "OutputError", "Progress", "PsdvecError", "PsdvecWarning",
    "ResourceError", "Score", "Scores", "__version__", "baseline", "convert", "count", "evaluate",
    "extend", "find_phrases", "from_bytes", "from_gensim", "generate", "load", "load_counts",
    "next_words", "score", "tokenize", "train",
]

if TYPE_CHECKING:
    from . import sklearn as sklearn


def __getattr__(name: str) -> Any:
    if name == "sklearn":  # needs scikit-learn, so it is imported when it is used
        from importlib import import_module
        return import_module(".sklearn", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted({*globals(), "sklearn"})
