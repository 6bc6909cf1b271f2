"""What a model explains of its counts and of texts, and why."""

import ctypes
import math
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._abi import psdvec_residual_order as ResidualOrder
from ._context import Context, shared
from ._counts import Counts
from ._documents import DocumentScore, Scorer, _document, reading
from ._handle import ModelHandle
from ._library import lib, text
from ._model import Model
from ._operations import _paths
from ._options import Settings
from ._options import documented as _documented
from ._options import split
from ._results import Records, html_table, members, plural
from ._temporary import place
from ._texts import Inputs
from ._types import Path, Show, Texts, Word


# ---- Two words --------------------------------------------------------------------------------
class SharedContext(NamedTuple):
    """A word near which the model expects both words.

    Examples
    --------
    >>> context = model.compare("king", "queen").contexts[0]
    >>> context.first > 0 and context.second > 0
    True
    """

    word: str
    first: float        #: the model's PMI with the first word, or its component for sparse vectors
    second: float
    count_first: float  #: how often it occurs with the first word; 0 without counts
    count_second: float
    part: float         #: contribution to the cosine; nan unless contexts are dimensions


class SharedDimension(NamedTuple):
    """A dimension that contributes to the cosine of two words.

    Examples
    --------
    >>> why = model.compare("king", "queen", dimensions=8)
    >>> abs(sum(d.part for d in why.dimensions) - why.cosine) < 1e-5
    True
    """

    dimension: int
    part: float         #: contribution; those of all dimensions add up to the cosine
    words: List[str]    #: words with the largest components in it


class Comparison(NamedTuple):
    """How similar two words are, and why; notebooks show it as tables.

    Examples
    --------
    >>> why = model.compare("king", "queen", contexts=3)
    >>> why.first, why.second, len(why.contexts)
    ('king', 'queen', 3)
    """

    first: str
    second: str
    cosine: float
    product: float                       #: of the generative vectors: the model's estimate of PMI
    contexts: List[SharedContext]
    dimensions: List[SharedDimension]
    explanation: Optional[Dict[str, Any]]  #: counts, target and residual of the pair; with counts

    def _repr_html_(self) -> str:
        caption = (f"{self.first}, {self.second}: cosine {self.cosine:.4f}, "
                   f"product {self.product:.4f}")
        names = ["word near both", f"PMI with {self.first}", f"PMI with {self.second}"]
        width = 3
        if self.explanation is not None:
            names += [f"count with {self.first}", f"count with {self.second}"]
            width = 5
        tables = html_table(names, [c[:width] for c in self.contexts], caption)
        if self.dimensions:
            tables += html_table(("dimension", "contribution", "words in this dimension"),
                                 self.dimensions)
        return tables


def compare(model: Model, first: Word, second: Word, *,
            counts: Optional[Counts] = None, contexts: int = 8, dimensions: int = 5) -> Comparison:
    """How similar two words are, and why.

    Parameters
    ----------
    model : Model
    first, second : str or int
    counts : Counts, optional
        The counts that the model was trained on: adds the counts, the target and the residual of the
        pair, and leaves out contexts that do not occur with both words.
    contexts, dimensions : int
        How many words near both, and how many dimensions, to list at most.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> model = psdvec.train(["a cat and a dog", "a dog and a cat"] * 50, dim=3, min_count=1)
    >>> why = model.compare("cat", "dog")
    >>> abs(why.cosine - model.similarity("cat", "dog")) < 1e-6
    True
    """
    i, j = model._number(first), model._number(second)
    near = (_abi.psdvec_shared_context * max(1, contexts))()
    along = (_abi.psdvec_shared_dimension * max(1, dimensions))()
    result = _abi.psdvec_comparison()
    shared().call(lib.psdvec_model_compare, model._model,
                  counts._handle.pointer if counts is not None else None, i, j, contexts, near,
                  dimensions, along, ctypes.byref(result))
    return Comparison(
        model._word(i), model._word(j), result.cosine, result.product,
        [SharedContext(model._word(c.word), *_two(getattr(c, "with")), *_two(c.seen), c.part)
         for c in near[:result.context_count]],
        [SharedDimension(d.dimension, d.part, [model._word(w) for w in d.words[:d.word_count]])
         for d in along[:result.dimension_count]],
        members(result.explanation) if counts is not None else None)


def _two(numbers: Any) -> Tuple[float, float]:
    return numbers[0], numbers[1]


# ---- The words of a text -------------------------------------------------------------------------
class Influence(NamedTuple):
    """The contribution of a word of the context.

    Examples
    --------
    >>> model.explain("the king")[1].influences[0].word
    'the'
    """

    word: str
    place: int       #: in the document, from 0
    weight: float    #: by distance, and lower for frequent words
    product: float   #: of the vectors
    residual: float  #: 0 without counts
    shift: float
    added: float     #: to the log-probability: T weight (product + residual + shift)


class WordScore(NamedTuple):
    """The probability of a word in its document, in natural logarithms; nan if it is unknown.

    Examples
    --------
    >>> score = model.explain("the king wears his crown")[4]
    >>> score.word, score.log_probability > score.log_unigram
    ('crown', True)
    """

    document: int    #: from 1
    place: int       #: in the document, from 0
    word: str
    known: bool
    log_probability: float   #: given the words before it
    log_unigram: float       #: without context
    log_paper: float         #: the paper's value, which is not normalised
    log_normaliser: float
    influences: List[Influence]


class WordScores(Records[WordScore]):
    """The words of a text with their probabilities; `total` is the score of the whole text.

    Examples
    --------
    >>> scores = model.explain("the king wears a hat")
    >>> len(scores), scores.total.known
    (5, 3)
    """

    _fields = WordScore._fields
    total: DocumentScore

    def _repr_html_(self) -> str:
        rows = []
        for score in self[:200]:
            strongest = sorted(score.influences, key=lambda i: -abs(i.added))[:3]
            pulls = ", ".join(f"{i.word} {i.added / math.log(2):+.2f}" for i in strongest)
            rows.append((score.word, -score.log_unigram / math.log(2),
                         -score.log_probability / math.log(2), pulls) if score.known
                        else (score.word, None, None, "not in the model"))
        return html_table(("word", "alone (bits)", "surprise (bits)", "strongest influences"), rows)


def _word_score(model: Model, struct: Any) -> WordScore:
    influences = [Influence(model._word(i.word), i.place, i.weight, i.product, i.residual, i.shift,
                            i.added) for i in struct.influences[:struct.influence_count]]
    figures = (struct.conditional, struct.unigram, struct.paper, struct.normaliser) \
        if struct.known else (math.nan,) * 4
    return WordScore(int(struct.document), int(struct.place), text(struct.text, struct.length),
                     bool(struct.known), *figures, influences)


@_documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT], without=("influences",))
def explain(model: Model, document: str, *, counts: Optional[Counts] = None,
            **options: Any) -> WordScores:
    """Why a model finds each word of a text likely or not.

    Parameters
    ----------
    model : Model
    document : str
        A text, which is one document.
    counts : Counts, optional
        The counts that the model was trained on, for residuals.
    **options

    Returns
    -------
    WordScores
        A list of `WordScore`, each with the contributions of the words before it.

    Examples
    --------
    >>> model = psdvec.train(["a cat and a dog"] * 50, dim=3, min_count=1)
    >>> [score.word for score in model.explain("A cat!")]
    ['a', 'cat']
    """
    given = split("explain", [Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT], options)
    given[Kind.OPTIONS_SCORER]["influences"] = True
    scores = WordScores()

    def take(_user: Any, pointer: Any) -> None:
        scores.append(_word_score(model, pointer.contents))
    scorer = Scorer(model, "explain", given, counts=counts, on_word=_abi.psdvec_word_fn(take))
    data = document.encode("utf-8", "replace")
    scorer.run(lib.psdvec_scorer_text, data, len(data))
    scores.total = _document(lib.psdvec_scorer_total(scorer.handle).contents)
    return scores


# ---- The temperature -----------------------------------------------------------------------------
class TemperatureFit(NamedTuple):
    """The result of `fit_temperature`; nan where it does not apply, as without counts.

    Examples
    --------
    >>> fit = model.fit_temperature(texts[:50])
    >>> fit.after <= fit.before
    True
    """

    model: Model                #: with the fitted values, which `score` and others use
    temperature: float
    self: float                 #: product of a word with itself; nan if the vectors' is better
    temperature_alone: float    #: with the products of the vectors with themselves
    temperature_counts: float   #: with residuals
    interpolation: float        #: weight of the unigrams in the bigram model
    kappa: float                #: that weight before fitting
    words: int
    known: int
    before: float               #: perplexity with a temperature of 1
    alone: float                #: perplexity with `temperature_alone`
    after: float                #: perplexity with `temperature` and `self`
    unigram: float              #: perplexity by word frequencies
    counts_before: float
    counts_after: float
    bigram: float
    bigram_after: float
    rounds: int
    seconds: float
    discounts: Optional[Tuple[float, float, float]] = None  #: of bigrams, with `bigrams`
    mixed_before: float = math.nan  #: perplexity with bigrams and estimated discounts
    mixed: float = math.nan         #: perplexity with bigrams and `discounts`


@_documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
def fit_temperature(model: Model, texts: Texts, output: Optional[Path] = None, *,
                    counts: Optional[Counts] = None, bigrams: Optional[Counts] = None,
                    most_words: Optional[int] = 10000, progress: Show = None,
                    **options: Any) -> TemperatureFit:
    """Fits the temperature of a model's document probabilities to text that it has not seen.

    Parameters
    ----------
    model : Model
    texts : path, list of pathlib.Path, or iterable of str or of token lists
        As for `train`; tokenized as the text of the model was, unless options say otherwise.
    output : path, optional
        The file of the model with the fitted values, which may be that of the model itself.
    counts : Counts, optional
        The counts that the model was trained on: also fits the temperature with residuals, and a
        bigram model.
    bigrams : Counts, optional
        Counts of adjacent words (`count` with ``window=1``): also fits the discounts of the mixture
        with their bigrams.
    most_words : int or None
        Score at most this many known words; None scores all of them.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    TemperatureFit
        The fitted values, perplexities before and after, and the new `model`.

    Examples
    --------
    >>> fit = psdvec.fit_temperature(model, texts[:50])
    >>> abs(fit.model.score(texts[:5]).temperature[0] - fit.temperature) < 1e-6
    True
    """
    given = split("fit_temperature", [Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT], options)
    context = Context(given[Kind.OPTIONS_CONTEXT], "fit_temperature", progress)
    report = _abi.psdvec_fit_report()
    # The text is read once per round.
    with Inputs(texts, twice=True, folder=given[Kind.OPTIONS_CONTEXT].get("tempdir")) as inputs:
        as_text = reading("fit_temperature", model, inputs, given[Kind.OPTIONS_TEXT])
        context.run(lib.psdvec_fit_temperature, model._model,
                    counts._handle.pointer if counts is not None else None,
                    as_text.text if as_text else None, _paths(inputs.paths), len(inputs.paths),
                    most_words or 0, ctypes.byref(report), inputs=inputs)
        if bigrams is not None:
            mixture = _abi.psdvec_bigram_fit()
            context.run(lib.psdvec_fit_bigrams, model._model, None, bigrams._handle.pointer,
                        as_text.text if as_text else None, _paths(inputs.paths), len(inputs.paths),
                        most_words or 0, ctypes.byref(report), ctypes.byref(mixture),
                        inputs=inputs)
    folder, path = place(output)
    context.call(lib.psdvec_model_write_fits, model._model, ctypes.byref(report),
                 ctypes.byref(mixture) if bigrams is not None else None, os.fsencode(path))
    found = TemperatureFit(Model(path, _handle=ModelHandle(path, folder=folder)), **members(report))
    if bigrams is None:
        return found
    return found._replace(
        discounts=(mixture.discount_once, mixture.discount_twice, mixture.discount_more),
        mixed_before=mixture.before, mixed=mixture.after)


# ---- Residuals and the joint probability ------------------------------------------------------------
class Residual(NamedTuple):
    """A pair of words, and what the vectors do not explain of it.

    Examples
    --------
    >>> counts = psdvec.count(texts, min_count=1)
    >>> worst = psdvec.train(counts, dim=4).residuals(counts, topn=1)[0]
    >>> worst.residual == worst.target - worst.product
    True
    """

    context: str
    focus: str
    count: float  # type: ignore[assignment]
    target: float
    product: float
    residual: float  #: target - product
    weight: float    #: in training


class Residuals(Records[Residual]):
    """Pairs with their residuals; `report` has figures over all pairs.

    Examples
    --------
    >>> counts = psdvec.count(texts, min_count=1)
    >>> sorted(psdvec.train(counts, dim=4).residuals(counts).report)[:3]
    ['correlation', 'deviation', 'explained']
    """

    _fields = Residual._fields

    def __init__(self) -> None:
        super().__init__()
        self.report: Dict[str, float] = {}

    def _caption(self) -> str:
        r = self.report
        return (f"{plural(int(r['pairs']), 'pair')}, mean {r['mean']:.4f}, standard deviation "
                f"{r['deviation']:.4f}, correlation {r['correlation']:.4f}")


@_documented([Kind.OPTIONS_CONTEXT])
def residuals(model: Model, counts: Counts, output: Optional[Path] = None, *,
              topn: Optional[int] = 10, order: str = "loss", min_count: float = 10,
              progress: Show = None, **options: Any) -> Residuals:
    """What the vectors do not explain of the counts.

    Parameters
    ----------
    model : Model
    counts : Counts
        The counts that the model was trained on.
    output : path, optional
        A file for all residuals: a sparse matrix in safetensors format.
    topn : int or None
        How many pairs to return; None returns all of them.
    order : {"loss", "more", "less"}
        The pairs with the largest weighted error first; those that occur more often than the vectors
        predict; or those that occur less often.
    min_count : float
        Leave out pairs with a smaller count.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Residuals
        A list of `Residual`, with figures over all pairs in `report`.

    Examples
    --------
    >>> counts = psdvec.count(["a cat and a dog", "a dog and a cat"] * 50, min_count=1)
    >>> found = psdvec.residuals(psdvec.train(counts, dim=3), counts, topn=3)
    >>> len(found), found.report["pairs"] > 3
    (3, True)
    """
    given = split("residuals", [Kind.OPTIONS_CONTEXT], options)
    found = Residuals()

    def take(_user: Any, pointer: Any) -> None:
        r = pointer.contents
        found.append(Residual(model._word(r.context), model._word(r.focus), r.count, r.target,
                              r.product, r.target - r.product, r.weight))
    report = _abi.psdvec_residual_report()
    Context(given[Kind.OPTIONS_CONTEXT], "residuals", progress).run(
        lib.psdvec_residuals_each, model._model, counts._handle.pointer,
        os.fsencode(output) if output is not None else None,
        _choice("residuals", "order", ResidualOrder, "RESIDUAL_", order), float(min_count),
        2**64 - 1 if topn is None else topn, _abi.psdvec_residual_fn(take), None,
        ctypes.byref(report))
    found.report = members(report)
    return found


def _choice(function: str, name: str, enum: Any, prefix: str, value: str) -> int:
    """The value of an enumeration by its name."""
    choices = {one.name[len(prefix):].lower(): one for one in enum}
    if value not in choices:
        raise ValueError(f"{function}() argument {name!r} must be one of "
                         f"{', '.join(map(repr, choices))}, not {value!r}")
    return int(choices[value])


@_documented([Kind.OPTIONS_CONTEXT])
def joint(model: Model, counts: Counts, *, progress: Show = None, **options: Any) -> Dict[str, float]:
    """The logarithm of the joint probability of text, vectors and residuals, term by term.

    Parameters
    ----------
    model : Model
    counts : Counts
        The counts of the text, usually those that the model was trained on.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    dict
        The terms by name; the log-likelihood of the text is the sum of `unigrams`, `products`,
        `residuals` and `shifts`.

    Examples
    --------
    >>> counts = psdvec.count(texts, min_count=1)
    >>> psdvec.joint(psdvec.train(counts, dim=4), counts)["unigrams"] < 0
    True
    """
    given = split("joint", [Kind.OPTIONS_CONTEXT], options)
    result = _abi.psdvec_joint()
    Context(given[Kind.OPTIONS_CONTEXT], "joint", progress).run(
        lib.psdvec_joint_compute, model._model, counts._handle.pointer, ctypes.byref(result))
    return members(result)


# ---- Interaction of three words ------------------------------------------------------------------------
class Interaction(NamedTuple):
    """Three words a, b, c in this order, and the interaction of a and b in predicting c, in nats.

    Examples
    --------
    >>> one = model.interactions(texts, topn=1)[0]
    >>> abs(one.joint - one.pmi_ac - one.pmi_bc - one.interaction) < 1e-9
    True
    """

    a: str
    b: str
    c: str
    count: int  # type: ignore[assignment]  #: of the triple
    count_ab: int
    count_ac: int
    count_bc: int
    pmi_ab: float
    pmi_ac: float         #: PMI(c; a)
    pmi_bc: float         #: PMI(c; b)
    joint: float          #: PMI(c; a, b)
    interaction: float    #: joint - pmi_ac - pmi_bc, which the model assumes to be 0
    error: float          #: its standard error, if positions were independent
    redundant: float
    synergistic: float


class Interactions(Records[Interaction]):
    """Triples of words with their interaction.

    `report` has averages over all triples, and `information` the expectations of Appendix B of the
    paper.

    Examples
    --------
    >>> found = model.interactions(texts, topn=5)
    >>> len(found), len(found.report["quantiles"])
    (5, 5)
    """

    _fields = Interaction._fields

    def __init__(self) -> None:
        super().__init__()
        self.report: Dict[str, Any] = {}
        self.information: Dict[str, float] = {}


@_documented([Kind.OPTIONS_CONTEXT])
def interactions(model: Model, texts: Texts, triples: Sequence[Tuple[str, str, str]] = (), *,
                 window: Optional[int] = None, topn: int = 20, min_count: int = 10,
                 progress: Show = None, **options: Any) -> Interactions:
    """Measures three-word interactions in text, which the model assumes to be 0.

    Parameters
    ----------
    model : Model
        Its words are counted.
    texts : path, list of pathlib.Path, or iterable of str
        As for `train`; tokenized as the text of the model was.
    triples : list of (str, str, str), optional
        Words a, b, c in the order of the text. Without them, the most frequent triples are returned.
    window : int, optional
        c is at most this many words after a; by default the window of the model.
    topn : int
        How many triples to return, if none are given.
    min_count : int
        Without given triples, only those that occur at least so often.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Interactions
        A list of `Interaction`, with averages over all triples in `report`.

    Examples
    --------
    >>> psdvec.interactions(model, texts, [("the", "king", "his")])[0].count > 0
    True
    """
    given = split("interactions", [Kind.OPTIONS_CONTEXT], options)
    asked = [[model._number(word) for word in triple] for triple in triples]
    if any(len(triple) != 3 for triple in asked):
        raise ValueError("interactions(): each of `triples` must have three words")
    most = len(asked) or topn
    array = ((ctypes.c_uint32 * 3) * max(1, len(asked)))(*((ctypes.c_uint32 * 3)(*t) for t in asked))
    room, found = (_abi.psdvec_interaction * max(1, most))(), ctypes.c_size_t()
    report, information = _abi.psdvec_interaction_report(), _abi.psdvec_information()
    with Inputs(texts) as inputs:
        if inputs.tokens:
            raise TypeError("interactions(): texts must be str, because they are tokenized as the "
                            "text of the model was")
        Context(given[Kind.OPTIONS_CONTEXT], "interactions", progress).run(
            lib.psdvec_interactions_full, model._model, _paths(inputs.paths), len(inputs.paths),
            window or 0, ctypes.cast(array, lib.psdvec_interactions_full.argtypes[5]), len(asked),
            most, min_count, room, ctypes.byref(found), ctypes.byref(report),
            ctypes.byref(information), inputs=inputs)
    result = Interactions()
    for one in room[:found.value]:
        point = _abi.psdvec_information()
        lib.psdvec_interaction_pointwise(ctypes.byref(one), ctypes.byref(point))
        a, b, c = (model._word(w) for w in one.words)
        ab, ac, bc = one.pairs
        result.append(Interaction(a, b, c, one.count, ab, ac, bc, one.pmi[0], one.pmi[1], one.pmi[2],
                                  one.joint, one.information, one.error, point.redundant,
                                  point.synergistic))
    result.report = {**members(report), "quantiles": list(report.quantiles)}
    result.information = members(information)
    return result


# ---- Simulation --------------------------------------------------------------------------------------
class Simulation(NamedTuple):
    """The files and figures of a simulation. Natural logarithms.

    Examples
    --------
    >>> drawn = psdvec.simulate("sim", vocab=20, dim=3, tokens=500)
    >>> drawn.tokens, len(drawn.model)
    (500, 20)
    """

    folder: str
    text: str             #: path of the text, one document per line
    model: Model          #: the true model
    residuals: str        #: path of the true residuals
    tokens: int
    documents: int
    bytes: int
    mu: float
    log_likelihood: float
    log_unigram: float
    entropy: float
    entropy_rate: float   #: exact, per word after another; nan if the window is not 1
    rounds: int
    seconds: float


@_documented([Kind.OPTIONS_SIMULATE, Kind.OPTIONS_CONTEXT])
def simulate(folder: Path, *, progress: Show = None, **options: Any) -> Simulation:
    """Draws a random model and a text from it, so that training can be compared with the truth.

    Parameters
    ----------
    folder : path
        Receives text.txt, truth.safetensors, truth-residuals.safetensors and truth.json.
    progress : bool, "bar", "tqdm" or a function, optional
        As for `train`.
    **options

    Returns
    -------
    Simulation

    Examples
    --------
    >>> drawn = psdvec.simulate("sim", vocab=20, dim=3, tokens=500, seed=1)
    >>> psdvec.count(drawn.text, min_count=1).info["tokens"]
    500
    """
    given = split("simulate", [Kind.OPTIONS_SIMULATE, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_SIMULATE, None, "simulate", given[Kind.OPTIONS_SIMULATE])
    report = _abi.psdvec_simulate_report()
    Context(given[Kind.OPTIONS_CONTEXT], "simulate", progress).run(
        lib.psdvec_simulate, settings.cast(_abi.psdvec_simulate_options), os.fsencode(folder),
        ctypes.byref(report))
    at = os.fspath(folder)
    return Simulation(at, os.path.join(at, "text.txt"), Model(os.path.join(at, "truth.safetensors")),
                      os.path.join(at, "truth-residuals.safetensors"), **members(report))
