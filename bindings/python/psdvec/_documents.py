"""The probability of documents, prediction and generation."""

import ctypes
import math
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._context import Context, shared
from ._counts import Counts
from ._library import lib, text
from ._errors import FormatError, OptionError
from ._model import Model
from ._operations import _paths
from ._options import Settings
from ._options import documented as _documented
from ._options import split
from ._results import Neighbours
from ._texts import Inputs
from ._types import Path, Show, Texts


class DocumentScore(NamedTuple):
    """The score of a document under each model: natural logarithms.

    Examples
    --------
    >>> score = model.score(["the king wears his crown"])[0]
    >>> score.words, score.known, score.beginning
    (5, 5, 'the king wears his crown')
    """

    number: int                     #: from 1
    beginning: str                  #: the first words
    words: int                      #: including unknown ones
    known: int                      #: words that were scored
    log_likelihood: List[float]     #: for each model
    perplexity: List[float]         #: per known word, for each model; nan without known words
    unigram: List[float]            #: log-likelihood by word frequencies alone
    posterior: List[float]          #: probability of each model, with equal priors


class DocumentScores(List[DocumentScore]):
    """The scores of documents, with their sum in `total`.

    Examples
    --------
    >>> scores = model.score(["the king wears his crown", "an unknown text"])
    >>> [score.known for score in scores], scores.total.known
    ([5, 0], 5)
    """

    total: DocumentScore
    words: Any = None               #: the score of every word, with `per_word`
    temperature: List[float] = []   #: that each model scored with

    def to_pandas(self) -> Any:
        """The scores as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            One row per document; columns end with the number of the model if there are several.

        Examples
        --------
        >>> model.score(texts[:3]).to_pandas().shape[0]
        3
        """
        import pandas
        several = len(self.total.log_likelihood) > 1
        rows = []
        for score in self:
            row: Dict[str, Any] = {"beginning": score.beginning, "words": score.words,
                                   "known": score.known}
            for name in ("log_likelihood", "perplexity", "unigram", "posterior"):
                for m, value in enumerate(getattr(score, name)):
                    row[f"{name}_{m}" if several else name] = value
            rows.append(row)
        return pandas.DataFrame(rows, index=[score.number for score in self])


def _document(struct: Any) -> DocumentScore:
    fits = [struct.fits[m] for m in range(struct.fit_count)]
    known = int(struct.known)
    return DocumentScore(
        int(struct.number), text(struct.beginning), int(struct.words), known,
        [f.conditional for f in fits],
        [math.exp(-f.conditional / known) if known else math.nan for f in fits],
        [f.unigram for f in fits], [f.posterior for f in fits])


class Scorer:
    """Computes probabilities with one or more models."""

    def __init__(self, models: Union[Model, Sequence[Model]], function: str, given: Dict[Kind, Any],
                 progress: Show = False, counts: Union[None, Counts, Sequence[Optional[Counts]]] = None,
                 on_document: Any = None, on_word: Any = None,
                 bigrams: Union[None, Counts, Sequence[Optional[Counts]]] = None):
        chosen = [models] if isinstance(models, Model) else list(models)
        if not chosen:
            raise ValueError(f"{function}() needs at least one model")
        if counts is None or isinstance(counts, Counts):
            counts = [counts] * len(chosen)
        if len(counts) != len(chosen):
            raise ValueError(f"{function}(): give one counts object per model")
        if bigrams is None or isinstance(bigrams, Counts):
            bigrams = [bigrams] * len(chosen)
        if len(bigrams) != len(chosen):
            raise ValueError(f"{function}(): give one counts object of bigrams per model")
        self.models = chosen
        self._keep = (counts, on_document, on_word)
        self.context = Context(given[Kind.OPTIONS_CONTEXT], function, progress)
        settings = Settings(Kind.OPTIONS_SCORER, None, function, given[Kind.OPTIONS_SCORER])
        if on_document is not None:
            settings.struct(_abi.psdvec_scorer_options).on_document = on_document
        if on_word is not None:
            settings.struct(_abi.psdvec_scorer_options).on_word = on_word
        array = (_abi.psdvec_scored_model * len(chosen))()
        for one, model, its_counts in zip(array, chosen, counts):
            one.model = model._model
            one.counts = its_counts._handle.pointer if its_counts is not None else None
        self.handle: Optional[ctypes.c_void_p] = ctypes.c_void_p()
        self.context.call(lib.psdvec_scorer_open, settings.cast(_abi.psdvec_scorer_options), array,
                          len(chosen), ctypes.byref(self.handle))
        for m, pairs in enumerate(bigrams):
            if pairs is not None:
                self.context.call(lambda _context, *rest: lib.psdvec_scorer_bigrams(
                    self.handle, *rest), m, pairs._handle.pointer)

    def run(self, function: Any, *arguments: Any, inputs: Any = None) -> None:
        """Calls a function of the library whose first argument is the scorer."""
        self.context.run(lambda _context, *rest: function(self.handle, *rest), *arguments,
                         inputs=inputs)

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle and lib is not None:
            lib.psdvec_scorer_close(handle)


class Reading:
    """How texts for a model are read: `text` points to a psdvec_text_options."""

    def __init__(self, settings: Settings, counting: bool):
        self._settings = settings
        self.text = ctypes.pointer(settings.struct(_abi.psdvec_count_options).text) if counting \
            else settings.cast(_abi.psdvec_text_options)


def reading(function: str, model: Model, inputs: Inputs, given: Dict[str, Any]) -> Optional[Reading]:
    """How texts for a model are read: as the text of the model was, except for options that are
    given; lists of tokens as they are. None: exactly as the text of the model."""
    if inputs.tokens:
        for name in ("tokenizer", "phrases"):
            if given.get(name, "whitespace") != "whitespace":
                raise OptionError(f"{function}(): the texts are lists of tokens, so `{name}` has no "
                                  "effect")
        given = {"tokenizer": "whitespace", **given}
        return Reading(Settings(Kind.OPTIONS_TEXT, None, function, given), False)
    stored = (model.info["counts"] or {}).get("settings", {})
    differs = inputs.streamed and (stored.get("document", "line") != "line"
                                   or "json_field" in stored or "columns" in stored)
    if differs:
        # Each element of an iterable is a document, whatever the form of the model's text was.
        given = {"document": "line", **given}
    if not given:
        return None
    handle = ctypes.c_void_p()
    try:
        shared().call(lib.psdvec_model_settings, model._model, Kind.OPTIONS_COUNT,
                      ctypes.byref(handle))
    except FormatError:  # vectors of another program
        return Reading(Settings(Kind.OPTIONS_TEXT, None, function, given), False)
    settings = Settings(Kind.OPTIONS_COUNT, None, function, given, handle.value)
    if differs:
        for name in ("json_field", "columns"):
            if name not in given:
                setattr(settings.struct(_abi.psdvec_count_options).text, name, None)
    return Reading(settings, True)


@_documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT],
             without=("influences",))
def score(models: Union[Model, Sequence[Model]], texts: Texts, *,
          counts: Union[None, Counts, Sequence[Optional[Counts]]] = None,
          bigrams: Union[None, Counts, Sequence[Optional[Counts]]] = None, per_word: bool = False,
          progress: Show = None, **options: Any) -> DocumentScores:
    """The probability of each document under one or more models.

    Parameters
    ----------
    models : Model or list of Model
        With several models, `posterior` is the probability of each, for classification.
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`. Texts are tokenized as the text of the first model was, unless options say
        otherwise.
    counts : Counts or list of Counts, optional
        The counts that the models were trained on, for residuals.
    bigrams : Counts or list of Counts, optional
        Counts of adjacent words (`count` with ``window=1``), whose bigrams are mixed with the
        models.
    per_word : bool
        Also return the score of every word under the first model, in `words`.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    DocumentScores
        A list of `DocumentScore`; `total` is the sum over all documents.

    Examples
    --------
    >>> royal = psdvec.train([t for t in texts if "wears" in t], dim=4, min_count=1)
    >>> score = psdvec.score([model, royal], ["the king wears the crown"])[0]
    >>> round(sum(score.posterior), 6)
    1.0
    """
    from ._analysis import WordScores, _word_score
    kinds = [Kind.OPTIONS_SCORER, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("score", kinds, options)
    first = models if isinstance(models, Model) else list(models)[0]
    scores, words = DocumentScores(), WordScores()

    def take_word(_user: Any, pointer: Any) -> None:
        words.append(_word_score(first, pointer.contents))

    def take(_user: Any, pointer: Any) -> None:
        scores.append(_document(pointer.contents))
    scorer = Scorer(models, "score", given, progress, counts, _abi.psdvec_document_fn(take),
                    _abi.psdvec_word_fn(take_word) if per_word else None, bigrams)
    with Inputs(texts) as inputs:
        as_text = reading("score", first, inputs, given[Kind.OPTIONS_TEXT])
        scorer.run(lib.psdvec_scorer_inputs, as_text.text if as_text else None,
                   _paths(inputs.paths), len(inputs.paths), inputs=inputs)
    scores.total = words.total = _document(lib.psdvec_scorer_total(scorer.handle).contents)
    scores.words = words if per_word else None
    scores.temperature = [lib.psdvec_scorer_temperature(scorer.handle, m)
                          for m in range(len(scores.total.log_likelihood))]
    return scores


def _numbers(model: Model, words: Union[str, Sequence[str]]) -> Any:
    listed = model.tokenize(words) if isinstance(words, str) else list(words)
    found = [model.find(word) for word in listed]
    return (ctypes.c_uint32 * max(1, len(found)))(
        *(_abi.PSDVEC_UNKNOWN_WORD if i is None else i for i in found)), len(found)


@_documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
def next_words(model: Model, before: Union[str, Sequence[str]], topn: int = 10, *,
               counts: Optional[Counts] = None, bigrams: Optional[Counts] = None,
               **options: Any) -> Neighbours:
    """The most probable words after a text.

    Parameters
    ----------
    model : Model
    before : str or list of str
        The text, or its words.
    topn : int
        How many words.
    counts, bigrams : Counts, optional
        As for `score`.
    **options

    Returns
    -------
    list of (str, float)
        Words and their probabilities, the most probable first.

    Examples
    --------
    >>> near = psdvec.next_words(model, "the king wears his", topn=len(model))
    >>> round(sum(probability for word, probability in near), 6)
    1.0
    """
    given = split("next_words", [Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT], options)
    scorer = Scorer(model, "next_words", given, counts=counts, bigrams=bigrams)
    numbers, count = _numbers(model, before)
    room, found = (_abi.psdvec_prediction * max(1, topn))(), ctypes.c_size_t()
    scorer.run(lib.psdvec_scorer_next, numbers, count, topn, room, ctypes.byref(found))
    return Neighbours((model._word(p.word), p.probability) for p in room[:found.value])


@_documented([Kind.OPTIONS_GENERATE, Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
def generate(model: Model, prompt: Union[str, Sequence[str]] = "", *,
             counts: Optional[Counts] = None, bigrams: Optional[Counts] = None,
             **options: Any) -> List[str]:
    """Draws words from a model; the same seed gives the same words.

    Parameters
    ----------
    model : Model
    prompt : str or list of str
        The text to continue.
    counts, bigrams : Counts, optional
        As for `score`.
    **options

    Returns
    -------
    list of str

    Examples
    --------
    >>> words = psdvec.generate(model, "the king", length=5, seed=1)
    >>> len(words), all(word in model for word in words)
    (5, True)
    """
    given = split("generate", [Kind.OPTIONS_GENERATE, Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT],
                  options)
    settings = Settings(Kind.OPTIONS_GENERATE, None, "generate", given[Kind.OPTIONS_GENERATE])
    scorer = Scorer(model, "generate", given, counts=counts, bigrams=bigrams)
    numbers, count = _numbers(model, prompt)
    length = settings.struct(_abi.psdvec_generate_options).length
    words = (ctypes.c_uint32 * max(1, length))()
    scorer.run(lib.psdvec_scorer_generate, settings.cast(_abi.psdvec_generate_options), numbers,
               count, words, _abi.psdvec_draw_fn(0), None)
    return [model._word(i) for i in words[:length]]


@_documented([Kind.OPTIONS_PHRASES, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def find_phrases(texts: Texts, output: Path, *, joined: Optional[Path] = None, progress: Show = None,
                 **options: Any) -> int:
    """Finds phrases such as new_york.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`.
    output : path
        The list: one phrase per line, with its count and score. It is for the option `phrases` of
        other functions.
    joined : path, optional
        A file for the text with the phrases joined, one document per line.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    int
        The number of phrases.

    Examples
    --------
    >>> phrases = ["we saw new york and a new car", "a car in new york"] * 50
    >>> psdvec.find_phrases(phrases, "phrases.tsv", min_count=5, threshold=0.1) > 0
    True
    """
    kinds = [Kind.OPTIONS_PHRASES, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT]
    given = split("find_phrases", kinds, options)
    settings = Settings(Kind.OPTIONS_PHRASES, None, "find_phrases", given[Kind.OPTIONS_PHRASES])
    context = Context(given[Kind.OPTIONS_CONTEXT], "find_phrases", progress)
    report = _abi.psdvec_phrases_report()
    with Inputs(texts, twice=True, folder=given[Kind.OPTIONS_CONTEXT].get("tempdir")) as inputs:
        reading = dict(given[Kind.OPTIONS_TEXT])
        if inputs.tokens:
            reading.setdefault("tokenizer", "whitespace")
        text_settings = Settings(Kind.OPTIONS_TEXT, None, "find_phrases", reading)
        context.run(lib.psdvec_phrases_find, settings.cast(_abi.psdvec_phrases_options),
                    text_settings.cast(_abi.psdvec_text_options), _paths(inputs.paths),
                    len(inputs.paths), os.fsencode(output),
                    os.fsencode(joined) if joined is not None else None, ctypes.byref(report),
                    inputs=inputs)
    return int(report.phrases)


@_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def join_phrases(texts: Texts, phrases: Path, output: Path, *, progress: Show = None,
                 **options: Any) -> int:
    """Writes a text with the phrases of a list joined, one document per line.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`.
    phrases : path
        A list of phrases, or a counts file or model that has phrases.
    output : path
        The text; read it with ``tokenizer="whitespace"``.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    int
        How many phrases were joined.

    Examples
    --------
    >>> with open("list.tsv", "w") as file:
    ...     count = file.write("new york\\n")
    >>> psdvec.join_phrases(["New York is new"], "list.tsv", "joined.txt")
    1
    """
    given = split("join_phrases", [Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], options)
    context = Context(given[Kind.OPTIONS_CONTEXT], "join_phrases", progress)
    report = _abi.psdvec_phrases_report()
    with Inputs(texts) as inputs:
        chosen = {"tokenizer": "whitespace", **given[Kind.OPTIONS_TEXT]} if inputs.tokens \
            else given[Kind.OPTIONS_TEXT]
        settings = Settings(Kind.OPTIONS_TEXT, None, "join_phrases", {**chosen, "phrases": phrases})
        context.run(lib.psdvec_phrases_join, settings.cast(_abi.psdvec_text_options),
                    _paths(inputs.paths), len(inputs.paths), os.fsencode(output),
                    ctypes.byref(report), inputs=inputs)
    return int(report.joined)


@_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def tokenize(document: str, **options: Any) -> List[str]:
    """Splits a text into words as counting does.

    Parameters
    ----------
    document : str
    **options

    Returns
    -------
    list of str

    Examples
    --------
    >>> psdvec.tokenize("Hello, world!")
    ['hello', 'world']
    """
    given = split("tokenize", [Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_TEXT, None, "tokenize", given[Kind.OPTIONS_TEXT])
    words: List[str] = []
    data = document.encode("utf-8", "replace")

    def take(_user: Any, word: Any, length: int) -> None:
        if word:
            words.append(text(word, length))
    Context(given[Kind.OPTIONS_CONTEXT], "tokenize").call(
        lib.psdvec_tokenize, settings.cast(_abi.psdvec_text_options), data, len(data),
        _abi.psdvec_token_fn(take), None)
    return words


@_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def tokenize_documents(texts: Texts, *, progress: Show = False, **options: Any) -> List[List[str]]:
    """Splits files, folders or texts into documents and their words, as counting does.

    Parameters
    ----------
    texts : path, list of pathlib.Path, or iterable of str
        As for `train`.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    list of list of str
        The words of each document that has some; with ``sentences=True``, of each sentence.

    Examples
    --------
    >>> psdvec.tokenize_documents(["Hello, world!", "Good-bye"])
    [['hello', 'world'], ['good', 'bye']]
    """
    given = split("tokenize_documents", [Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_TEXT, None, "tokenize_documents", given[Kind.OPTIONS_TEXT])
    documents: List[List[str]] = [[]]

    def take(_user: Any, word: Any, length: int) -> None:
        if word:
            documents[-1].append(text(word, length))
        else:
            documents.append([])
    with Inputs(texts) as inputs:
        Context(given[Kind.OPTIONS_CONTEXT], "tokenize_documents", progress).run(
            lib.psdvec_tokenize_inputs, settings.cast(_abi.psdvec_text_options),
            _paths(inputs.paths), len(inputs.paths), _abi.psdvec_token_fn(take), None,
            inputs=inputs)
    return [document for document in documents if document]
