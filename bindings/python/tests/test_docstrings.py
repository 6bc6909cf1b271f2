"""Docstrings: every public name has one, with an example that runs."""

import doctest
import importlib.util
import inspect

import numpy as np
import pytest

import psdvec

MODULES = ["__init__", "_analysis", "_counts", "_documents", "_errors", "_gensim", "_map", "_model",
           "_model_queries", "_model_tasks", "_model_vectors", "_model_words", "_operations", "_options", "_results", "_systems", "_texts", "_topics", "_types", "sklearn"]
NEEDED = {"to_gensim": "gensim", "to_pandas": "pandas", "to_scipy": "scipy"}  # by these examples


@pytest.fixture(scope="module")
def names(story, tmp_path_factory):
    """What the examples can use: a text, its model, and their files."""
    folder = tmp_path_factory.mktemp("story")
    (folder / "wiki.txt.zst").write_text("\n".join(story) + "\n")
    (folder / "pairs.txt").write_text("king prince 9\nking dog 1\nthrone crown 8\nqueen bread 1\n")
    (folder / "analogies.txt").write_text(": royal\nman king woman queen\n")
    model = psdvec.train(story, folder / "story.safetensors", dim=8, min_count=1)
    topics = psdvec.learn_topics(model, story, topics=2)
    return folder, {"psdvec": psdvec, "np": np, "model": model, "texts": story, "topics": topics}


def module_of(name):
    if name == "sklearn":
        pytest.importorskip("sklearn")
    return importlib.import_module("psdvec" if name == "__init__" else f"psdvec.{name}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_examples(name, names, monkeypatch):
    folder, shared = names
    monkeypatch.chdir(folder)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(module_of(name), globs=dict(shared)):
        needed = NEEDED.get(test.name.split(".")[-1])
        if needed is None or importlib.util.find_spec(needed):
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def public():
    for name in psdvec.__all__:
        value = getattr(psdvec, name)
        if name != "__version__":
            yield name, value
        if inspect.isclass(value) and value.__module__.startswith("psdvec."):
            for parent in value.__mro__:
                for member, what in vars(parent).items():
                    if parent.__module__.startswith("psdvec.") and not member.startswith("_") \
                            and (inspect.isfunction(what) or isinstance(what, property)):
                        yield f"{name}.{member}", what


@pytest.mark.parametrize("name", sorted(dict(public())))
def test_every_public_name_has_a_docstring_with_an_example(name):
    value = dict(public())[name]
    text = inspect.getdoc(value) or ""
    assert text and text.splitlines()[0].endswith("."), "the first line is a sentence"
    if inspect.isclass(value) and issubclass(value, (Exception, Warning)):
        return
    assert ">>> " in text
    if inspect.isfunction(value):
        signature = inspect.signature(value)
        for parameter in signature.parameters:
            assert parameter == "self" or parameter in text, parameter
        if parameters := [p for p in signature.parameters if p != "self"]:
            assert "Parameters\n----------\n" in text, parameters
        if signature.return_annotation is not None:
            assert "Returns\n-------\n" in text
