"""Topics of documents."""

import ctypes
import json
import os
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

import numpy as np

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._context import Context, shared
from ._documents import reading
from ._handle import TopicsHandle
from ._library import lib, text
from ._model import Model
from ._model_vectors import view
from ._operations import _paths
from ._options import Settings, split
from ._options import documented as _documented
from ._page import write_page
from ._results import Records, html_table, plural
from ._temporary import place
from ._texts import COLUMNS, Inputs
from ._types import Array, FloatArray, Path, Show, Texts


class TopicWord(NamedTuple):
    """A word that describes a topic.

    Examples
    --------
    >>> 0 < topics.words(0, 3)[0].probability < 1
    True
    """

    word: str
    probability: float  #: P(word | topic)
    lift: float         #: the probability divided by the frequency of the word in all documents


class TopicNeighbour(NamedTuple):
    """A word whose vector is near to that of a topic.

    Examples
    --------
    >>> topics.nearest(model, 1)[0][0].similarity <= 1
    True
    """

    word: str
    similarity: float  #: cosine


class TopicDocument(NamedTuple):
    """A document with a share of a topic.

    Examples
    --------
    >>> topics.documents(0, 1)[0].share > 0.5
    True
    """

    document: int   #: number, from 0
    share: float    #: of the topic
    source: str     #: name of the file
    beginning: str  #: the first words
    label: Optional[str] = None  #: that the text gives (`columns`, `label_field`)
    date: Optional[str] = None   #: ISO 8601, as in the text
    name: Optional[str] = None


class TopicsQuality(NamedTuple):
    """How good topics are.

    Examples
    --------
    >>> topics.evaluate(texts, words=3).documents == len(texts)
    True
    """

    coherence: float   #: mean normalised PMI of pairs of the words that describe a topic
    diversity: float   #: share of distinct words among those that describe all topics
    perplexity: float  #: of one half of each document, given the other half
    documents: int
    known: int         #: words of the documents that the topics have
    bound: float       #: lower bound of the log-likelihood of the documents, per known word


_DETAILS = (lib.psdvec_topics_label, lib.psdvec_topics_date, lib.psdvec_topics_name)


class Topics:
    """The topics of documents: distributions over words, and the mixture of every document.

    Parameters
    ----------
    path : str or os.PathLike
        A topics file, as `learn_topics` writes it.

    Examples
    --------
    >>> len(topics), topics.mixtures.shape == (len(texts), 2)
    (2, True)
    """

    def __init__(self, path: Path, *, _handle: Optional[TopicsHandle] = None):
        self._handle = _handle or TopicsHandle(os.fspath(path))
        self._info = lib.psdvec_topics_get_info(self._handle.pointer).contents

    @property
    def path(self) -> str:
        """The topics file.

        Examples
        --------
        >>> topics.path.endswith(".safetensors")
        True
        """
        return self._handle.path

    def __len__(self) -> int:
        return int(self._info.topics)

    @property
    def info(self) -> Dict[str, Any]:
        """Sizes, settings, and the bound of the log-likelihood.

        Examples
        --------
        >>> topics.info["topics"], topics.info["documents"] == len(texts)
        (2, True)
        """
        i = self._info
        facts: Dict[str, Any] = {name: int(getattr(i, name)) for name in (
            "topics", "words", "dim", "documents", "known_tokens", "iterations", "file_bytes",
            "labelled", "dated", "named", "classes")}
        facts["bound"], facts["null_topic"] = float(i.bound), bool(i.null_topic)
        for name in ("settings", "model", "trials"):
            stored = text(getattr(i, name + "_json"))
            facts[name] = json.loads(stored) if stored else None
        return facts

    def verify(self) -> None:
        """Reads the whole file and compares its checksums.

        Examples
        --------
        >>> topics.verify()
        """
        shared().call(lib.psdvec_topics_verify, self._handle.pointer)

    def _number(self, topic: int) -> int:
        if not 0 <= topic < len(self):
            raise IndexError(f"topic {topic}: there are topics 0 to {len(self) - 1}")
        return topic

    def _word(self, i: int) -> str:
        length = ctypes.c_size_t()
        return text(lib.psdvec_topics_word(self._handle.pointer, i, ctypes.byref(length)),
                    length.value)

    @property
    def vocabulary(self) -> List[str]:
        """The words of the topics.

        Examples
        --------
        >>> "king" in topics.vocabulary
        True
        """
        return [self._word(i) for i in range(int(self._info.words))]

    def _array(self, pointer: Any, *shape: int) -> FloatArray:
        if 0 in shape:
            return np.zeros(shape, np.float32)
        return view(self._handle, ctypes.cast(pointer, ctypes.c_void_p).value or 0, shape)

    @property
    def vectors(self) -> FloatArray:
        """The vectors of the topics, in the space of the model's generative vectors; a read-only view.

        Examples
        --------
        >>> topics.vectors.shape
        (2, 8)
        """
        return self._array(lib.psdvec_topics_vector(self._handle.pointer, 0), len(self),
                           int(self._info.dim))

    @property
    def mixtures(self) -> FloatArray:
        """The share of each topic in each document that the topics were learnt from; a read-only view.

        Examples
        --------
        >>> bool(np.allclose(topics.mixtures.sum(axis=1), 1, atol=1e-5))
        True
        """
        return self._array(lib.psdvec_topics_mixture(self._handle.pointer, 0),
                           int(self._info.documents), len(self))

    @property
    def shares(self) -> FloatArray:
        """The share of the text that each topic explains, in descending order.

        Examples
        --------
        >>> round(float(topics.shares.sum()), 4)
        1.0
        """
        return np.array([lib.psdvec_topics_share(self._handle.pointer, k)
                         for k in range(len(self))], np.float32)

    @property
    def classes(self) -> List[Optional[str]]:
        """The label whose documents each topic was learnt from.

        None for a null topic, and if topics were not learnt for each label (`by="label"`).

        Examples
        --------
        >>> topics.classes
        [None, None]
        """
        return [text(lib.psdvec_topics_class(self._handle.pointer, k)) or None
                for k in range(len(self))]

    def probabilities(self, topic: int) -> FloatArray:
        """P(word | topic) for every word of the vocabulary; a read-only view.

        Parameters
        ----------
        topic : int
            From 0.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> round(float(topics.probabilities(0).sum()), 4)
        1.0
        """
        return self._array(
            lib.psdvec_topics_probabilities(self._handle.pointer, self._number(topic)),
            int(self._info.words))

    def words(self, topic: int, topn: int = 10) -> Records[TopicWord]:
        """The words that describe a topic, the best first.

        Parameters
        ----------
        topic : int
            From 0.
        topn : int
            At most this many words.

        Returns
        -------
        list of TopicWord

        Examples
        --------
        >>> len(topics.words(0, 3))
        3
        """
        room, found = (_abi.psdvec_topic_word * max(1, topn))(), ctypes.c_size_t()
        shared().call(lib.psdvec_topics_words, self._handle.pointer, self._number(topic), topn, room,
                      ctypes.byref(found))
        return Records(TopicWord(self._word(w.word), w.probability, w.lift)
                       for w in room[:found.value])

    def documents(self, topic: int, topn: int = 10) -> Records[TopicDocument]:
        """The documents with the largest shares of a topic, the largest first.

        Parameters
        ----------
        topic : int
            From 0.
        topn : int
            At most this many documents.

        Returns
        -------
        list of TopicDocument

        Examples
        --------
        >>> texts[topics.documents(0, 1)[0].document] in texts
        True
        """
        room, found = (ctypes.c_uint64 * max(1, topn))(), ctypes.c_size_t()
        shared().call(lib.psdvec_topics_documents, self._handle.pointer, self._number(topic), topn,
                      room, ctypes.byref(found))
        mixtures = self.mixtures
        return Records(TopicDocument(
            d, float(mixtures[d, topic]), text(lib.psdvec_topics_source(self._handle.pointer, d)),
            text(lib.psdvec_topics_beginning(self._handle.pointer, d)),
            *(text(get(self._handle.pointer, d)) or None for get in _DETAILS))
            for d in room[:found.value])

    def group_words(self, members: Sequence[int], topn: int = 10) -> Records[TopicWord]:
        """The words that describe several topics together, the best first.

        Parameters
        ----------
        members : sequence of int
            The topics, from 0, as in a group of `groups`.
        topn : int
            At most this many words.

        Returns
        -------
        list of TopicWord

        Examples
        --------
        >>> len(topics.group_words([0, 1], 3)) <= 3
        True
        """
        numbers = [self._number(int(k)) for k in members]
        room, found = (_abi.psdvec_topic_word * max(1, topn))(), ctypes.c_size_t()
        shared().call(lib.psdvec_topics_group_words, self._handle.pointer,
                      (ctypes.c_uint32 * max(1, len(numbers)))(*numbers), len(numbers), topn, room,
                      ctypes.byref(found))
        return Records(TopicWord(self._word(w.word), w.probability, w.lift)
                       for w in room[:found.value])

    def nearest(self, model: Model, topn: int = 10) -> List[Records[TopicNeighbour]]:
        """The words whose vectors are nearest to that of each topic.

        They often name the subject of a topic although they are rare in the documents.

        Parameters
        ----------
        model : Model
            From which the topics were learnt; another one is refused.
        topn : int
            At most this many words.

        Returns
        -------
        list of list of TopicNeighbour
            One list per topic, the nearest word first.

        Examples
        --------
        >>> [len(words) for words in topics.nearest(model, 3)]
        [3, 3]
        """
        count = len(self)
        room = (_abi.psdvec_topic_neighbour * max(1, count * topn))()
        found = (ctypes.c_size_t * count)()
        shared().call(lib.psdvec_topics_nearest, self._handle.pointer, model._model, topn, room,
                      found)
        return [Records(TopicNeighbour(self._word(n.word), n.similarity)
                        for n in room[k * topn:k * topn + found[k]]) for k in range(count)]

    def distances(self) -> FloatArray:
        """The Hellinger distances of all pairs of topics.

        Returns
        -------
        numpy.ndarray
            Topics x topics; 0 for equal topics, 1 for topics without common words.

        Examples
        --------
        >>> topics.distances().shape
        (2, 2)
        """
        found = np.zeros((len(self), len(self)), np.float32)
        shared().call(lib.psdvec_topics_distances, self._handle.pointer,
                      found.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        return found

    def map(self) -> Array:
        """Places of the topics in a plane, such that similar topics are near each other.

        This is classical multidimensional scaling of `distances`.

        Returns
        -------
        numpy.ndarray
            Topics x 2.

        Examples
        --------
        >>> topics.map().shape
        (2, 2)
        """
        found = np.zeros((len(self), 2), np.float64)
        shared().call(lib.psdvec_topics_map, self._handle.pointer,
                      found.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return found

    def _merges(self) -> Any:
        merges = (_abi.psdvec_topic_merge * len(self))()
        shared().call(lib.psdvec_topics_tree, self._handle.pointer, merges)
        return merges

    def tree(self) -> Array:
        """A hierarchy of the topics: the merges that lose the least information about words.

        Returns
        -------
        numpy.ndarray
            In the format of `scipy.cluster.hierarchy.linkage`, one row per merge: the two clusters,
            the information lost in bits per word, and the number of topics. `scipy` draws it:
            `scipy.cluster.hierarchy.dendrogram(topics.tree())`.

        Examples
        --------
        >>> topics.tree().shape
        (1, 4)
        """
        return np.array([(m.first, m.second, m.height, m.topics)
                         for m in self._merges()[:len(self) - 1]], np.float64).reshape(-1, 4)

    def groups(self, groups: int) -> List[List[int]]:
        """Puts similar topics together, by cutting the hierarchy.

        Parameters
        ----------
        groups : int
            How many groups, from 1 to the number of topics.

        Returns
        -------
        list of list of int
            The topics of each group, in descending order of the share of the groups.

        Examples
        --------
        >>> topics.groups(1)
        [[0, 1]]
        """
        group = (ctypes.c_uint32 * len(self))()
        shared().call(lib.psdvec_topics_groups, self._handle.pointer, self._merges(), groups, group)
        return [[k for k in range(len(self)) if group[k] == g] for g in range(groups)]

    def _describe(self, model: Optional[Model], words: int, documents: int) -> str:
        parts: List[bytes] = []

        def take(_user: Any, json_text: Any, length: int) -> None:
            parts.append(ctypes.string_at(json_text, length))
        on_json = _abi.psdvec_topics_json_fn(take)
        shared().call(lib.psdvec_topics_describe, self._handle.pointer,
                      model._model if model is not None else None, words, documents, on_json, None)
        return b"".join(parts).decode()

    def describe(self, model: Optional[Model] = None, words: int = 20,
                 documents: int = 10) -> Dict[str, Any]:
        """All that a page of the topics shows.

        Parameters
        ----------
        model : Model, optional
            From which the topics were learnt, for the words nearest to each topic.
        words : int
            How many words of each topic.
        documents : int
            How many documents with the largest share of each topic.

        Returns
        -------
        dict
            Figures, settings, and `topics`: for each topic its share, words, nearest words,
            documents, similar topics and place on the map; the hierarchy as `merges`; `index`, the
            topics of the most frequent words.

        Examples
        --------
        >>> [len(topic["words"]) for topic in topics.describe(words=3)["topics"]]
        [3, 3]
        """
        return dict(json.loads(self._describe(model, words, documents)))

    def page(self, path: Path, model: Optional[Model] = None, words: int = 20,
             documents: int = 10) -> None:
        """Writes an HTML page of the topics, which works offline.

        It shows the topics with their words and documents, a map and a tree of similar topics, and
        has a search for words.

        Parameters
        ----------
        path : str or os.PathLike
            The page; an existing file is replaced when the new one is complete.
        model : Model, optional
            From which the topics were learnt, for the words nearest to each topic.
        words : int
            How many words of each topic.
        documents : int
            How many documents with the largest share of each topic.

        Examples
        --------
        >>> topics.page("topics.html", model)
        >>> "<title>psdvec topics</title>" in open("topics.html", encoding="utf-8").read()
        True
        """
        plain = "\n".join(f"{k + 1:4} {100 * share:5.1f}%  " + " ".join(
            w.word for w in self.words(k)) for k, share in enumerate(self.shares))
        write_page("topics", path, self._describe(model, words, documents), plain)

    def _details(self, get: Any) -> List[Optional[str]]:
        return [text(get(self._handle.pointer, d)) or None for d in range(int(self._info.documents))]

    @property
    def labels(self) -> List[Optional[str]]:
        """The label of each document that the topics were learnt from; None if it has none.

        Examples
        --------
        >>> topics.labels[0] is None
        True
        """
        return self._details(lib.psdvec_topics_label)

    @property
    def dates(self) -> List[Optional[str]]:
        """The date of each document, as it is in the text (ISO 8601); None if it has none.

        Examples
        --------
        >>> topics.dates[0] is None
        True
        """
        return self._details(lib.psdvec_topics_date)

    @property
    def names(self) -> List[Optional[str]]:
        """The name of each document; None if it has none.

        Examples
        --------
        >>> topics.names[0] is None
        True
        """
        return self._details(lib.psdvec_topics_name)

    @_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
    def transform(self, texts: Texts, *, counts: bool = False, evidence: bool = False,
                  progress: Show = False, **options: Any) -> FloatArray:
        """The mixtures of other documents.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
            As for `train`; tokenized as the documents that the topics were learnt from were, unless
            options say otherwise.
        counts : bool
            Return how many words of a document each topic is expected to have, instead of shares.
        evidence : bool
            Return the same counts without the influence of the other words of the document: the sum
            of P(topic | word) over its words, where all topics have the same prior probability. For
            classifiers, these are better features than shares and counts.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        numpy.ndarray
            Documents x topics. A document without known words has the same share of every topic.

        Examples
        --------
        >>> topics.transform(["the king wears his crown"]).shape
        (1, 2)
        """
        rows: List[Any] = []
        count = len(self)

        def take(_user: Any, pointer: Any) -> None:
            mixture = pointer.contents
            numbers = (mixture.evidence if evidence else mixture.counts if counts
                       else mixture.shares)
            rows.append(np.ctypeslib.as_array(numbers, (count,)).copy())
        each = _abi.psdvec_topic_mixture_fn(take)
        self._read("transform", texts, progress, options, lambda text, paths, count: (
            lib.psdvec_topics_apply, self._handle.pointer, text, paths, count, each, None))
        return np.array(rows, np.float32).reshape(len(rows), count)

    @_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
    def evaluate(self, texts: Texts, words: int = 10, *, progress: Show = False,
                 **options: Any) -> TopicsQuality:
        """Measures how good the topics are, by documents from which they were not learnt.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
            As for `transform`.
        words : int
            How many words describe a topic, for coherence and diversity.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        TopicsQuality

        Examples
        --------
        >>> 0 < topics.evaluate(texts).diversity <= 1
        True
        """
        quality = _abi.psdvec_topics_quality()
        self._read("evaluate", texts, progress, options, lambda text, paths, count: (
            lib.psdvec_topics_evaluate, self._handle.pointer, text, paths, count, words,
            ctypes.byref(quality)))
        return TopicsQuality(quality.coherence, quality.diversity, quality.perplexity,
                             int(quality.documents), int(quality.known), quality.bound)

    def _read(self, function: str, texts: Texts, progress: Show, options: Dict[str, Any],
              call: Any) -> None:
        """Calls a function of the library that reads texts as the documents were read."""
        given = split(function, [Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], options)
        settings = Settings(Kind.OPTIONS_TEXT, None, function, given[Kind.OPTIONS_TEXT])
        with Inputs(texts) as inputs:
            stored = lib.psdvec_topics_text_options(self._handle.pointer).contents
            own = _abi.psdvec_text_options.from_buffer_copy(stored)
            if inputs.streamed:
                own.document = _abi.psdvec_document.DOCUMENT_LINE
                for name in ("json_field", "columns", "label_field", "date_field", "name_field"):
                    setattr(own, name, None)
            if inputs.tokens:
                own.tokenizer = _abi.psdvec_tokenizer.TOKENIZER_WHITESPACE
            settings.apply(own)
            Context(given[Kind.OPTIONS_CONTEXT], function, progress).run(
                *call(ctypes.pointer(own), _paths(inputs.paths), len(inputs.paths)), inputs=inputs)

    def save(self, path: Path) -> None:
        """Copies the topics file.

        Parameters
        ----------
        path : str or os.PathLike
            The copy.

        Examples
        --------
        >>> topics.save("topics.safetensors")
        >>> len(psdvec.load_topics("topics.safetensors"))
        2
        """
        import shutil
        shutil.copyfile(self._handle.path, os.fspath(path))

    def __repr__(self) -> str:
        return (f"<psdvec.Topics: {plural(len(self), 'topic')} of "
                f"{plural(int(self._info.documents), 'document')}, "
                f"{int(self._info.words):,} words>")

    def _repr_html_(self) -> str:
        rows = [(k, float(self.shares[k]), " ".join(w.word for w in self.words(k)))
                for k in range(len(self))]
        return html_table(("topic", "share", "words"), rows, repr(self)[1:-1])


@_documented([Kind.OPTIONS_TOPIC, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def learn_topics(model: Model, texts: Texts, output: Optional[Path] = None, *,
                 labels: Optional[Iterable[Any]] = None, dates: Optional[Iterable[Any]] = None,
                 names: Optional[Iterable[Any]] = None, progress: Show = None,
                 **options: Any) -> Topics:
    """Finds the topics of documents.

    Parameters
    ----------
    model : Model
        Its word vectors span the space of the topics.
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`; each text is a document.
    output : str or os.PathLike, optional
        The topics file; by default a temporary one that disappears with the result.
    labels, dates, names : iterable, optional
        One for each text: lists, arrays, columns of a data frame. None and nan mean that a text has
        none. Dates are datetime objects, years, or ISO 8601. For files, use `columns`, or
        `label_field`, `date_field` and `name_field` with `json_field`, instead. With `by="label"`,
        topics are learnt for each label.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Topics

    Examples
    --------
    >>> found = psdvec.learn_topics(model, texts, topics=2)
    >>> len(found), found.mixtures.shape == (len(texts), 2)
    (2, True)
    >>> kinds = ["royal" if "king" in text else None for text in texts]
    >>> found = psdvec.learn_topics(model, texts, labels=kinds, by="label", topics=1)
    >>> found.classes
    ['royal']
    """
    kinds = [Kind.OPTIONS_TOPIC, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("learn_topics", kinds, options)
    folder, path = place(output, "topics")
    settings = Settings(Kind.OPTIONS_TOPIC, None, "learn_topics", given[Kind.OPTIONS_TOPIC])
    details = (labels, dates, names)
    with Inputs(texts, details=details) as inputs:
        if any(column is not None for column in details):
            given[Kind.OPTIONS_TEXT]["columns"] = COLUMNS
        as_text = reading("learn_topics", model, inputs, given[Kind.OPTIONS_TEXT])
        Context(given[Kind.OPTIONS_CONTEXT], "learn_topics", progress).run(
            lib.psdvec_topics_learn, settings.cast(_abi.psdvec_topic_options), model._model,
            as_text.text if as_text else None, _paths(inputs.paths), len(inputs.paths),
            os.fsencode(path), None, inputs=inputs)
    return Topics(path, _handle=TopicsHandle(path, None, folder))


def load_topics(path: Path) -> Topics:
    """Opens a topics file.

    Parameters
    ----------
    path : str or os.PathLike

    Returns
    -------
    Topics

    Examples
    --------
    >>> topics.save("topics.safetensors")
    >>> psdvec.load_topics("topics.safetensors").info["topics"]
    2
    """
    return Topics(path)
