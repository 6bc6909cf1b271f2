"""Lists of results that notebooks show as tables or small charts."""

from html import escape
from typing import Any, Dict, List, Sequence, Tuple, TypeVar

Row = TypeVar("Row")


def html_cell(value: Any) -> str:
    """A cell of a table: numbers to the right, with few digits."""
    if isinstance(value, float):
        shown = f"{value:,.0f}" if abs(value) >= 1000 or value.is_integer() else f"{value:.4g}"
        return f"<td style='text-align:right'>{shown}</td>"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"<td style='text-align:right'>{value:,}</td>"
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return f"<td style='text-align:left'>{escape('' if value is None else str(value))}</td>"


def html_table(names: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """A table for notebooks."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(map(html_cell, row))}</tr>" for row in rows)
    title = f"<caption style='text-align:left'>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Records(List[Row]):
    """A list of named tuples of one class; notebooks show it as a table.

    Examples
    --------
    >>> pairs = psdvec.count(["a b c", "a b"], min_count=1).pairs()
    >>> type(pairs).__name__, len(pairs)
    ('Records', 3)
    """

    _fields: Sequence[str] = ()

    def to_pandas(self) -> Any:
        """The list as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            With a column for each member.

        Examples
        --------
        >>> list(psdvec.count(["a b c", "a b"], min_count=1).pairs().to_pandas())
        ['context', 'focus', 'count']
        """
        import pandas
        names = getattr(self[0], "_fields", self._fields) if self else self._fields
        return pandas.DataFrame([tuple(row) for row in self], columns=list(names))  # type: ignore

    def _caption(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        names = getattr(self[0], "_fields", self._fields) if self else self._fields
        return html_table(names, self[:100], self._caption())  # type: ignore


class Neighbours(List[Tuple[str, float]]):
    """A list of (word, score) pairs, the best first; notebooks show it as a bar chart.

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
            "<td style='width:12em;min-width:12em'><div style='height:.8em;background:"
            f"{'#4c78a8' if score >= 0 else '#e45756'};"
            f"width:{100 * abs(score) / widest:.0f}%'></div></td></tr>"
            for word, score in self)
        return f"<table><thead><tr><th>word</th><th>score</th><th></th></tr></thead><tbody>{rows}</tbody></table>"


def members(struct: Any, leave_out: Sequence[str] = ()) -> Dict[str, Any]:
    """The numbers of a struct of the library, by name."""
    found: Dict[str, Any] = {}
    for field in struct._fields_:
        value = getattr(struct, field[0])
        if field[0] not in leave_out and isinstance(value, (bool, int, float)):
            found[field[0]] = value
    return found


def plural(number: int, what: str) -> str:
    """"1 word", "2,000 words"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
