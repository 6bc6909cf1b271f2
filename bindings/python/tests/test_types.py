"""Types: the package, its stubs and typical uses are checked by mypy; stubs agree with the code."""

import ast
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import psdvec

if os.environ.get("SANITIZE"):
    pytest.skip("stubs are not made for a library with a sanitizer", allow_module_level=True)
HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(psdvec.__file__).parent
STUBS = sorted(PACKAGE.glob("*.pyi"))


def check(path, cache, *arguments):
    """What mypy finds with the package of a folder."""
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(HERE.parent / "mypy.ini"), "--cache-dir",
         str(cache), *arguments],
        env={**os.environ, "MYPYPATH": str(path)}, cwd=cache, capture_output=True, text=True,
        check=False)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_the_source_has_correct_types(cache, tmp_path):
    copy = tmp_path / "psdvec"  # without the stubs, which would be read instead
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.pyi", "_lib"))
    assert check(tmp_path, cache, "-p", "psdvec") == ""


def test_typical_uses_and_mistakes(cache):
    # This checks the stubs too, because MYPYPATH is not taken for installed packages.
    assert check(PACKAGE.parent, cache, str(HERE / "typed_uses.py")) == ""


def test_every_function_with_options_has_a_stub():
    names = {path.stem for path in STUBS}
    for path in PACKAGE.glob("*.py"):
        if path.stem == "sklearn" and importlib.util.find_spec("sklearn") is None:
            continue  # the stub of this module is made only where scikit-learn is installed
        if "documented(" in path.read_text() and path.stem != "_options":
            assert path.stem in names
    assert "_operations" in names and "dim: Optional[int]" in (PACKAGE / "_operations.pyi").read_text()


def parameters_of_stub(function):
    """Name, kind and whether there is a default, of each parameter."""
    a = function.args
    positional = a.posonlyargs + a.args
    without = len(positional) - len(a.defaults)
    return ([(p.arg, i >= without) for i, p in enumerate(positional)],
            {p.arg: d is not None for p, d in zip(a.kwonlyargs, a.kw_defaults)})


def parameters_of_code(function):
    found = inspect.signature(function).parameters.values()
    return ([(p.name, p.default is not p.empty) for p in found
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)],
            {p.name: p.default is not p.empty for p in found if p.kind == p.KEYWORD_ONLY})


def differences(body, owner):
    overloaded = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from differences(node.body, getattr(owner, node.name))
        elif isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(d) for d in node.decorator_list]
            if "overload" in decorators:
                overloaded.add(node.name)
                continue
            code = inspect.getattr_static(owner, node.name)
            if isinstance(code, property) != ("property" in decorators):
                yield f"{node.name}: is a property here and not there"
            elif not isinstance(code, property):
                code = getattr(code, "__func__", code)
                if parameters_of_stub(node) != parameters_of_code(code):
                    yield f"{node.name}: {parameters_of_stub(node)} != {parameters_of_code(code)}"
    if isinstance(owner, type):
        stub = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        for name, value in vars(owner).items():
            if inspect.isfunction(value) and value.__module__.startswith("psdvec.") \
                    and name not in stub and value.__qualname__.startswith(owner.__name__ + "."):
                yield f"{owner.__name__}.{name} is not in the stub"


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.stem)
def test_stubs_agree_with_the_code(path):
    if path.stem == "sklearn":
        pytest.importorskip("sklearn")
    module = __import__(f"psdvec.{path.stem}", fromlist=["psdvec"])
    assert list(differences(ast.parse(path.read_text()).body, module)) == []
