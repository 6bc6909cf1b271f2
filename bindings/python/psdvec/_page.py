"""HTML pages: data inserted into the templates of the program."""

import os
import pathlib
from html import escape

from ._types import Path


def write_page(name: str, path: Path, data: str, plain: str) -> None:
    """Writes the page of a template: `data` is JSON, `plain` the text for readers without JavaScript."""
    template = pathlib.Path(__file__).with_name(f"{name}.html").read_text(encoding="utf-8")
    text_before, rest = template.split("\x01")
    data_before, after = rest.split("\x02")
    data = data.replace("<", "\\u003c")
    write_file(path, f"{text_before}{escape(plain)}{data_before}{data}{after}")


def write_file(path: Path, content: str) -> None:
    """Writes a file, which replaces an existing one when it is complete."""
    partial = f"{os.fspath(path)}.partial"
    try:
        with open(partial, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(content)
        os.replace(partial, path)
    except OSError:
        if os.path.exists(partial):
            os.remove(partial)
        raise
