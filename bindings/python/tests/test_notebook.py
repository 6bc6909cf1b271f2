"""The notebook of the documentation: every cell runs, and gives the stored results."""

import ast
import contextlib
import importlib.util
import io
import json
import pathlib
import re

import pytest

NOTEBOOK = pathlib.Path(__file__).parents[3] / "docs/tutorial/python.ipynb"
pytestmark = [
    pytest.mark.skipif(not NOTEBOOK.exists(), reason="the documentation is not there"),
    pytest.mark.skipif(not list(pathlib.Path("/usr/share/common-licenses").glob("GPL-3")),
                       reason="there is no text: /usr/share/common-licenses"),
]


def debian_12():
    """Whether the text of the notebook is the one that the stored results are of."""
    path = pathlib.Path("/etc/debian_version")
    return path.exists() and path.read_text().startswith("12")


def same(shown, printed):
    """Compares results; numbers may differ by 0.01, because last digits depend on the processor."""
    number = re.compile(r"-?\d+\.\d+")
    a, b = (" ".join(text.split()) for text in (shown, printed))
    return number.sub("", a) == number.sub("", b) and all(
        abs(float(x) - float(y)) <= 0.01 for x, y in zip(number.findall(a), number.findall(b)))


def stored(cell):
    return "".join("".join(output.get("text", output.get("data", {}).get("text/plain", "")))
                   for output in cell["outputs"])


def run(source, names):
    """What a cell prints, and its last value."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "notebook", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))


@pytest.mark.filterwarnings("ignore")
def test_every_cell_gives_the_stored_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 10
    for cell in cells:
        source = "".join(cell["source"])
        result = run(source, names)
        if debian_12() and ("gensim" not in source or importlib.util.find_spec("gensim")):
            assert same(stored(cell), result), source


@pytest.mark.filterwarnings("ignore")
def test_a_kernel_executes_the_notebook(tmp_path):
    nbclient, nbformat = (pytest.importorskip(name) for name in ("nbclient", "nbformat"))
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    html = [output for cell in notebook.cells for output in cell.get("outputs", [])
            if "text/html" in output.get("data", {})]
    assert len(html) >= 5  # charts
    assert not [output for cell in notebook.cells for output in cell.get("outputs", [])
                if output.output_type == "error" or output.get("name") == "stderr"]
