"""Pictures, tables for notebooks, progress, logging."""

import io
import logging
import math
import re
import sys
import types

import numpy as np
import pytest

import psdvec
from psdvec import _context


# ---- Pictures -----------------------------------------------------------------------------------
def overlaps(boxes):
    return sum(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_words_are_drawn_with_readable_labels(model, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    words = [f"s{a}x{b}" for a in "abcdef" for b in "abcd"]
    ax = model.plot(words)
    ax.figure.savefig(tmp_path / "words.png")
    assert (tmp_path / "words.png").read_bytes().startswith(b"\x89PNG")
    renderer = ax.figure.canvas.get_renderer()
    labels = [t for t in ax.texts if t.get_text() in words]
    assert len(labels) == len(words)
    assert overlaps([t.get_window_extent(renderer) for t in labels]) <= 2
    points = ax.collections[0].get_offsets()
    # Words of a subject are nearer to each other than to the others.
    centres = points.reshape(6, 4, 2).mean(axis=1)
    within = np.linalg.norm(points.reshape(6, 4, 2) - centres[:, None], axis=2).mean()
    assert within < np.linalg.norm(centres - centres.mean(axis=0), axis=1).mean()
    _, other = matplotlib.pyplot.subplots()
    assert model.plot(["saxa", 3], other, labels=False, color="red") is other and not other.texts
    with pytest.raises(ValueError, match="at least two"):
        model.plot(["saxa"])
    matplotlib.pyplot.close("all")


def test_plot_without_matplotlib(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        model.plot(["saxa", "saxb"])


# ---- Tables -------------------------------------------------------------------------------------
def test_tables_for_notebooks(model, documents):
    counts = psdvec.count(documents[:50], min_count=1)
    shown = [model, counts, model.most_similar("saxa"), counts.associations("saxa", min_count=1),
             model.compare("saxa", "saxb"), model.explain("saxa <b> saxb"), counts.pairs(topn=3),
             psdvec.evaluate(model, resamples=0)]
    for one in shown:
        html = one._repr_html_()
        assert "<table>" in html and html.count("<table>") == html.count("</table>")
        assert "<b> " not in html  # words are escaped
    assert "(Python iterable)" in model._repr_html_() and "window" in model._repr_html_()
    widths = re.findall(r"width:(\d+)%", model.most_similar("saxa")._repr_html_())
    assert widths[0] == "100" and len(widths) == 10
    negative = psdvec.Neighbours([("a", 0.5), ("b", -0.25)])._repr_html_()
    assert "width:50%" in negative and negative.count("background") == 2


# ---- Progress -----------------------------------------------------------------------------------
class Terminal(io.StringIO):
    def isatty(self):
        return True


LONG = {"dim": 20, "min_count": 1, "iterations": 30}


@pytest.fixture
def at_once(monkeypatch):
    """Bars are drawn from the first moment on."""
    monkeypatch.setattr(_context._Bar, "delay", 0.0)


def test_a_bar_on_a_terminal(documents, monkeypatch, at_once):
    for stream, expected in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        psdvec.train(documents, **LONG)
        text = stream.getvalue()
        assert bool(text) == expected
        if expected:
            assert "%" in text and "#" in text
            assert text.endswith("\r")  # it is erased at the end
    monkeypatch.setattr(sys, "stderr", Terminal())
    psdvec.train(documents, progress=False, **LONG)
    assert sys.stderr.getvalue() == ""
    psdvec.train(documents, progress="bar", **LONG)
    assert "%" in sys.stderr.getvalue()


class Bar:
    """What tqdm.auto.tqdm is: a bar on a terminal, a widget in a notebook."""

    made = []

    def __init__(self, total=None, desc="", unit="", **_options):
        self.total, self.desc, self.unit, self.n, self.closed = total, desc, unit, 0, False
        self.made.append(self)

    def update(self, n):
        self.n += n

    def close(self):
        self.closed = True


@pytest.mark.parametrize("chosen", ["tqdm", None])
def test_a_bar_of_tqdm(documents, monkeypatch, at_once, chosen):
    Bar.made = []
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    if chosen is None:  # in a notebook
        monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    psdvec.train(documents, progress=chosen, **LONG)
    assert Bar.made and all(bar.closed for bar in Bar.made)
    assert len({bar.desc for bar in Bar.made}) == len(Bar.made)  # one for each stage


def test_the_real_tqdm(documents, at_once):
    pytest.importorskip("tqdm")
    psdvec.train(documents, progress="tqdm", **LONG)


def test_a_notebook_without_tqdm(documents, monkeypatch, at_once):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    psdvec.train(documents, **LONG)
    assert "%" in sys.stderr.getvalue()
    with pytest.raises(ImportError):
        psdvec.train(documents, progress="tqdm", **LONG)


def test_progress_is_told_to_a_function(documents):
    seen = []
    psdvec.train(documents, progress=seen.append, **LONG)
    assert {p.unit for p in seen} and all(p.done <= p.total or not p.total for p in seen)
    assert any(not math.isnan(p.objective) for p in seen)
    assert _context._display(None) is None or sys.stderr.isatty()


# ---- Logging ------------------------------------------------------------------------------------
def test_messages_go_to_the_logger(documents, caplog):
    with caplog.at_level(logging.DEBUG, logger="psdvec"):
        psdvec.train(documents, dim=5, min_count=1)
    assert caplog.records and all(r.name == "psdvec" for r in caplog.records)
    assert any(r.levelno == logging.INFO for r in caplog.records)


def test_the_logger_is_silent_by_default(documents, capfd):
    psdvec.train(documents, dim=5, min_count=1, progress=False)
    assert capfd.readouterr() == ("", "")
