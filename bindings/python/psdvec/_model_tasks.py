"""Models: the operations of the package as methods."""

import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

from ._abi import psdvec_options_kind as Kind
from ._model_queries import ModelQueries
from ._options import documented
from ._results import Neighbours
from ._types import Path, Query, Show, Texts, Word

if TYPE_CHECKING:
    from ._analysis import Comparison, Interactions, Residuals, TemperatureFit, WordScores
    from ._counts import Counts
    from ._documents import DocumentScores
    from ._map import WordMap
    from ._model import Model
    from ._operations import Scores


class ModelTasks(ModelQueries):
    """A model that is extended, drawn, evaluated, and applied to texts."""

    @documented([Kind.OPTIONS_EXTEND, Kind.OPTIONS_CONTEXT])
    def extend(self, texts: Texts, output: Optional[Path] = None, *, progress: Show = None,
               **options: Any) -> "Model":
        """A new model that also has the words of new text; see `psdvec.extend`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        output : path, optional
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Model

        Examples
        --------
        >>> more = model.extend(["the duke inherits the castle"] * 9, min_count=5)
        >>> "duke" in more, len(more) - len(model)
        (True, 1)
        """
        from ._operations import extend
        return extend(self._as_model, texts, output, progress=progress, **options)

    @documented([Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT])
    def map(self, words: Optional[Sequence[Union[str, int]]] = None, *, around: Optional[Query] = None,
            nearest: int = 300, progress: Show = False, **options: Any) -> "WordMap":
        """A map of the words: places in the plane, clusters and labels.

        Parameters
        ----------
        words : list of str or int, optional
            Only these words.
        around : str or numpy.ndarray, optional
            Only a word and its nearest neighbours, or the neighbours of a vector.
        nearest : int
            How many neighbours with `around`.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        WordMap

        Examples
        --------
        >>> near = model.map(around="king", nearest=3)
        >>> "king" in near.words, len(near), near.points.shape
        (True, 4, (4, 2))
        """
        from ._map import make_map
        return make_map(self._as_model, words, around, nearest, progress, options)

    @documented([Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT])
    def map_memory(self, words: int = 0, **options: Any) -> int:
        """The memory that `map` needs.

        Parameters
        ----------
        words : int
            For this number of words; 0 for all words, or those that `restrict` selects.
        **options
            Those of `map`.

        Returns
        -------
        int
            Bytes.

        Examples
        --------
        >>> model.map_memory(10) < model.map_memory()
        True
        """
        from ._map import map_memory
        return map_memory(self._as_model, words, options)

    def read_map(self, path: Path) -> "WordMap":
        """A map of the words from a table.

        Parameters
        ----------
        path : str or os.PathLike
            A table of `WordMap.save` or of ``psdvec map``, or one of another program: columns word, x and y,
            separated by tabs and named in the first line. Clusters and labels are computed if the columns
            cluster, or level and region, are missing. Words that the model does not have are left out.

        Returns
        -------
        WordMap

        Examples
        --------
        >>> made = model.map()
        >>> made.save("map.tsv")
        >>> bool((model.read_map("map.tsv").points == made.points).all())
        True
        """
        from ._map import read_map
        return read_map(self._as_model, path)

    @documented([Kind.OPTIONS_DESCRIBE, Kind.OPTIONS_CONTEXT])
    def report(self, path: Path, words: Optional[Sequence[Union[str, int]]] = None, *,
               sets: Union[None, Path, Sequence[Path]] = None, progress: Show = False, **options: Any) -> None:
        """Writes a report on the model: an HTML page that works offline and prints well.

        It shows how the model was made, the course of training, its spectrum, the frequencies of
        words and the lengths of vectors, a map, scores, the neighbours of sample words, and what to
        cite.

        Parameters
        ----------
        path : str or os.PathLike
            The page; an existing file is replaced when the new one is complete.
        words : list of str or int, optional
            Sample words whose neighbours are listed.
        sets : path or list of paths, optional
            Test sets, files or folders, in addition to the built-in ones.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Examples
        --------
        >>> model.report("report.html", ["king", "dog"], map=0)
        >>> "<title>psdvec report</title>" in open("report.html", encoding="utf-8").read()
        True
        """
        from ._page import write_page
        from ._report import describe
        data, plain = describe("report", self._as_model, words, sets, progress, options)
        write_page("report", path, data, plain)

    @documented([Kind.OPTIONS_DESCRIBE, Kind.OPTIONS_CONTEXT])
    def describe(self, words: Optional[Sequence[Union[str, int]]] = None, *,
                 sets: Union[None, Path, Sequence[Path]] = None, progress: Show = False,
                 **options: Any) -> Dict[str, Any]:
        """All that a report on the model shows.

        Parameters
        ----------
        words : list of str or int, optional
            Sample words whose neighbours are listed.
        sets : path or list of paths, optional
            Test sets, files or folders, in addition to the built-in ones.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        dict
            With the members that `docs/reference/report.md` lists.

        Examples
        --------
        >>> found = model.describe(["king"], map=0, builtin=False)
        >>> found["model"]["words"] == len(model), found["neighbours"][0]["word"]
        (True, 'king')
        """
        from ._report import describe
        return dict(json.loads(describe("describe", self._as_model, words, sets, progress, options)[0]))

    @documented([Kind.OPTIONS_EVAL, Kind.OPTIONS_CONTEXT])
    def evaluate(self, sets: Union[None, Path, Sequence[Path]] = None, *, builtin: bool = False,
                 progress: Show = None, **options: Any) -> "Scores":
        """Scores on test sets; see `psdvec.evaluate`, which also compares several models.

        Parameters
        ----------
        sets : path or list of paths, optional
        builtin : bool
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Scores

        Examples
        --------
        >>> model.evaluate("pairs.txt")[0].known
        4
        """
        from ._operations import evaluate
        return evaluate(self._as_model, sets, builtin=builtin, progress=progress, **options)

    def compare(self, first: Word, second: Word, *, counts: Optional["Counts"] = None,
                contexts: int = 8, dimensions: int = 5) -> "Comparison":
        """How similar two words are, and why; see `psdvec.compare`.

        Parameters
        ----------
        first, second : str or int
        counts : Counts, optional
        contexts, dimensions : int

        Returns
        -------
        Comparison

        Examples
        --------
        >>> why = model.compare("king", "queen")
        >>> abs(why.cosine - model.similarity("king", "queen")) < 1e-6
        True
        """
        from ._analysis import compare
        return compare(self._as_model, first, second, counts=counts, contexts=contexts, dimensions=dimensions)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT], without=("influences",))
    def explain(self, /, document: str, *, counts: Optional["Counts"] = None,
                **options: Any) -> "WordScores":
        """Why the words of a text are likely or not; see `psdvec.explain`.

        Parameters
        ----------
        document : str
        counts : Counts, optional
        **options

        Returns
        -------
        WordScores

        Examples
        --------
        >>> [score.word for score in model.explain("The king!")]
        ['the', 'king']
        """
        from ._analysis import explain
        return explain(self._as_model, document, counts=counts, **options)

    @documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
    def fit_temperature(self, texts: Texts, output: Optional[Path] = None, *,
                        counts: Optional["Counts"] = None, bigrams: Optional["Counts"] = None,
                        most_words: Optional[int] = 10000, progress: Show = None,
                        **options: Any) -> "TemperatureFit":
        """Fits the temperature of document probabilities; see `psdvec.fit_temperature`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        output : path, optional
        counts, bigrams : Counts, optional
        most_words : int or None
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        TemperatureFit

        Examples
        --------
        >>> model.fit_temperature(texts[:50]).temperature > 0
        True
        """
        from ._analysis import fit_temperature
        return fit_temperature(self._as_model, texts, output, counts=counts, bigrams=bigrams,
                               most_words=most_words, progress=progress, **options)

    @documented([Kind.OPTIONS_CONTEXT])
    def residuals(self, counts: "Counts", output: Optional[Path] = None, *,
                  topn: Optional[int] = 10, order: str = "loss", min_count: float = 10,
                  progress: Show = None, **options: Any) -> "Residuals":
        """What the vectors do not explain of the counts; see `psdvec.residuals`.

        Parameters
        ----------
        counts : Counts
        output : path, optional
        topn : int or None
        order : {"loss", "more", "less"}
        min_count : float
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Residuals

        Examples
        --------
        >>> counts = psdvec.count(texts, min_count=1)
        >>> len(psdvec.train(counts, dim=4).residuals(counts, topn=3))
        3
        """
        from ._analysis import residuals
        return residuals(self._as_model, counts, output, topn=topn, order=order, min_count=min_count,
                         progress=progress, **options)

    @documented([Kind.OPTIONS_CONTEXT])
    def interactions(self, texts: Texts, triples: Sequence[Tuple[str, str, str]] = (), *,
                     window: Optional[int] = None, topn: int = 20, min_count: int = 10,
                     progress: Show = None, **options: Any) -> "Interactions":
        """Interactions of three words in text; see `psdvec.interactions`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str
        triples : list of (str, str, str), optional
        window : int, optional
        topn, min_count : int
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Interactions

        Examples
        --------
        >>> len(model.interactions(texts, topn=3))
        3
        """
        from ._analysis import interactions
        return interactions(self._as_model, texts, triples, window=window, topn=topn, min_count=min_count,
                            progress=progress, **options)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT],
                without=("influences",))
    def score(self, /, texts: Texts, *, counts: Optional["Counts"] = None,
              bigrams: Optional["Counts"] = None, per_word: bool = False, progress: Show = None,
              **options: Any) -> "DocumentScores":
        """The probability of documents; see `psdvec.score`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        counts, bigrams : Counts, optional
        per_word : bool
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        DocumentScores

        Examples
        --------
        >>> right, wrong = model.score(["the king wears his crown", "the king carries his bread"])
        >>> right.perplexity[0] < wrong.perplexity[0]
        True
        """
        from ._documents import score
        return score(self._as_model, texts, counts=counts, bigrams=bigrams, per_word=per_word,
                     progress=progress, **options)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
    def next_words(self, /, before: Union[str, Sequence[str]], topn: int = 10, *,
                   counts: Optional["Counts"] = None, bigrams: Optional["Counts"] = None,
                   **options: Any) -> Neighbours:
        """The most probable words after a text; see `psdvec.next_words`.

        Parameters
        ----------
        before : str or list of str
        topn : int
        counts, bigrams : Counts, optional
        **options

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> len(model.next_words("the king wears his", topn=3))
        3
        """
        from ._documents import next_words
        return next_words(self._as_model, before, topn, counts=counts, bigrams=bigrams, **options)

    @documented([Kind.OPTIONS_GENERATE, Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
    def generate(self, /, prompt: Union[str, Sequence[str]] = "", *,
                 counts: Optional["Counts"] = None, bigrams: Optional["Counts"] = None,
                 **options: Any) -> List[str]:
        """Words drawn from the model; see `psdvec.generate`.

        Parameters
        ----------
        prompt : str or list of str
        counts, bigrams : Counts, optional
        **options

        Returns
        -------
        list of str

        Examples
        --------
        >>> model.generate("the king", length=5) == model.generate("the king", length=5)
        True
        """
        from ._documents import generate
        return generate(self._as_model, prompt, counts=counts, bigrams=bigrams, **options)
