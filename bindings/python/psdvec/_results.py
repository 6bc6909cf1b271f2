"""Lists of results that notebooks show as small charts."""

from html import escape
from typing import Any, List, Tuple


class Neighbours(List[Tuple[str, float]]):
    """A list of (word, score) pairs, the best first.

    Examples
    --------
    >>> near = model.most_similar("king", topn=2)
    >>> [word for word, score in near]
    ['prince', 'queen']
    """

    def to_pandas(self) -> Any:
        """The list as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            With the columns `word` and `score`.

        Examples
        --------
        >>> model.most_similar("king").to_pandas().word[0]
        'prince'
        """
        import pandas
        return pandas.DataFrame(list(self), columns=["word", "score"])

    def _repr_html_(self) -> str:
        widest = max((abs(score) for _, score in self), default=1.0) or 1.0
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(word)}</td>"
            f"<td style='text-align:right'>{score:.4f}</td>"
            "<td style='width:12em'><div style='height:.8em;background:#4c78a8;"
            f"width:{100 * max(0.0, score) / widest:.0f}%'></div></td></tr>"
            for word, score in self)
        return f"<table><thead><tr><th>word</th><th>score</th><th></th></tr></thead><tbody>{rows}</tbody></table>"


def plural(number: int, what: str) -> str:
    """"1 word", "2,000 words"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


