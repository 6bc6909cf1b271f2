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
from ._analysis import (Comparison, Influence, Interaction, Interactions, Residual, Residuals,
                        SharedContext, SharedDimension, Simulation, TemperatureFit, WordScore,
                        WordScores, compare, explain, fit_temperature, interactions, joint,
                        residuals, simulate)
from ._counts import Association, Associations, Counts, Pair, load_counts
from ._documents import (DocumentScore, DocumentScores, find_phrases, generate, join_phrases,
                         next_words, score, tokenize, tokenize_documents)
from ._errors import (CancelledError, FormatError, InputError, InternalError, NotFoundError,
                      NumericError, OptionError, OutOfMemoryError, OutputError, PsdvecError,
                      PsdvecWarning, ResourceError)
from ._map import MapLabel, WordMap
from ._model import Model, Score, from_bytes, from_gensim, load
from ._operations import (Difference, Mistake, Scores, TrainPlan, baseline, convert, count, evaluate,
                          extend, import_counts, merge_counts, plan, train)
from ._results import Neighbours, Records
from ._systems import System, SystemsComparison, compare_systems, systems
from ._topics import (TopicDocument, TopicNeighbour, TopicWord, Topics, TopicsQuality,
                      learn_topics, load_topics)
from ._types import Progress

__all__ = [
    "Association", "Associations", "CancelledError", "Comparison", "Counts", "Difference",
    "DocumentScore", "DocumentScores", "FormatError", "Influence", "InputError", "Interaction",
    "Interactions", "InternalError", "MapLabel", "Mistake", "Model", "Neighbours", "NotFoundError", "NumericError",
    "OptionError", "OutOfMemoryError", "OutputError", "Pair", "Progress", "PsdvecError",
    "PsdvecWarning", "Records", "Residual", "Residuals", "ResourceError", "Score", "Scores",
    "SharedContext", "SharedDimension", "Simulation", "System", "SystemsComparison",
    "TemperatureFit", "TopicDocument", "TopicNeighbour", "TopicWord", "Topics", "TopicsQuality",
    "TrainPlan", "WordMap", "WordScore",
    "WordScores", "__version__", "baseline", "compare", "compare_systems", "convert", "count",
    "evaluate", "explain", "extend", "find_phrases", "fit_temperature", "from_bytes", "from_gensim",
    "generate", "import_counts", "interactions", "join_phrases", "joint", "learn_topics", "load",
    "load_counts", "load_topics", "merge_counts", "next_words", "plan", "residuals", "score",
    "simulate", "systems", "tokenize", "tokenize_documents", "train",
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
