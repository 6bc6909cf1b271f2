"""Everything that the command line and the library can do can be done from Python.

These tests fail when a command, an option of a command or a function of the library has no form in
the package: add it to the package, and here to COMMANDS; or, if it makes no sense in Python, add it
to the exceptions with the reason.
"""

import ast
import inspect
import os
import pathlib
import re
import subprocess

import pytest

import psdvec
from psdvec import _abi, _library
from psdvec._abi import psdvec_options_kind as Kind

PACKAGE = pathlib.Path(psdvec.__file__).parent
PROGRAM = os.environ.get("PSDVEC") or str(PACKAGE.parent.parent / "psdvec")

# ---- Commands -------------------------------------------------------------------------------
# Each command, what it is in Python, and the options that have another name there. An option whose
# name begins with a bracket has no form, for the reason in the brackets.
SPELLING = {"spelling": "Model.with_spelling"}
COMMANDS = {
    "train": ("train", {"dry-run": "plan", "explain-preset": "(help(psdvec.train) has the presets)"}),
    "extend": ("extend", {}),
    "info": ("Model.info", {"verify": "Model.verify"}),
    "report": ("Model.report", {"set": "sets"}),
    "table": ("compare_systems", {}),
    "eval": ("evaluate", {"model": "models", "set": "sets", **SPELLING,
                          "sections": "(scores always have their sections)"}),
    "convert": ("convert", {"to": "format", "float16": "precision", "int8": "precision"}),
    "fit-temperature": ("fit_temperature", {"all": "most_words", "in-place": "output"}),
    "baseline ppmi": ("baseline", {}),
    "baseline svd": ("baseline", {}),
    "baseline sgns": ("baseline", {"cbow": "method"}),
    "baseline glove": ("baseline", {}),
    "baseline cca": ("baseline", {}),
    "baseline sparse": ("baseline", {}),
    "similar": ("Model.most_similar", {"top": "topn", "from": "Model.most_similar_many",
                                       "restrict": "restrict_vocab", **SPELLING}),
    "analogy": ("Model.analogy", {"top": "topn", "restrict": "restrict_vocab", **SPELLING}),
    "odd-one-out": ("Model.odd_one_out", SPELLING),
    "compare": ("compare", SPELLING),
    "vector": ("Model.get_vector", {"raw": "Model.generative_vector", **SPELLING}),
    "score": ("score", {"sort": "(sorted() and slices)", "top": "(sorted() and slices)",
                        "surprising": "(a comparison of WordScore.log_probability)"}),
    "next": ("next_words", {"top": "topn"}),
    "explain": ("explain", {"file": "document", "influences": "(all influences are returned)",
                            "html": "WordScores._repr_html_"}),
    "generate": ("generate", {"json": "(the result is a list of str)"}),
    "residuals": ("residuals", {"top": "topn"}),
    "simulate": ("simulate", {}),
    "interaction": ("interactions", {"top": "topn"}),
    "count": ("count", {}),
    "tokenize": ("tokenize_documents", {}),
    "phrases": ("find_phrases", {"list": "output"}),
    "map": ("Model.map", {**{name: "WordMap.save" for name in (
        "width", "height", "colour", "groups", "labels", "font-size", "point-size", "dark")}}),
    "topics learn": ("learn_topics", {}),
    "topics show": ("Topics.words", {"topic": "topic", "words": "topn", "documents": "Topics.documents",
                                     "verify": "Topics.verify", "groups": "Topics.groups",
                                     "model": "Topics.nearest"}),
    "topics page": ("Topics.page", {}),
    "topics compare": ("Topics.evaluate", {"with": "(evaluate() of another Topics)"}),
    "topics apply": ("Topics.transform", {"top": "(all shares are returned)"}),
    "counts info": ("Counts.info", {"no-verify": "Counts.verify"}),
    "counts show": ("Counts.associations", {"top": "topn"}),
    "counts dump": ("Counts.pairs", {"top": "topn", "word": "words",
                                     "raw": "(counts are exact multiples of 1/scale)"}),
    "counts merge": ("merge_counts", {}),
    "counts export": ("Counts.export", {}),
    "counts import": ("import_counts", {}),
}
NOT_IN_PYTHON = {
    "ask": "an interactive session; Python has one of its own",
    "explore": "a server; Python has its own, and can use this one",
}
# Options of every command that are about output to a terminal; `format` is that of the output,
# except for these commands.
OUTPUT = {"output", "quiet", "verbose", "log", "color", "help"}
REAL_FORMAT = {"counts export", "counts import"}

# ---- Functions of the library ------------------------------------------------------------------
UNUSED = {
    "psdvec_context_join": "processes that count together are those of the program psdvec-mpi",
    # The tables of options are read row by row, and options are set by name.
    "psdvec_options_name": "kinds are an enumeration",
    "psdvec_options_size": "the structs come from psdvec_settings",
    "psdvec_options_find": "rows are found in a dict",
    "psdvec_options_hold": "psdvec_settings_finish checks conditions",
    "psdvec_condition_text": "psdvec_settings_finish makes the messages",
    "psdvec_option_parse": "psdvec_settings_set parses",
    "psdvec_settings_get": "info has the settings of a file",
    "psdvec_count_options_check": "the call that takes the options checks them",
    "psdvec_train_options_check": "the call that takes the options checks them",
    "psdvec_baseline_options_check": "the call that takes the options checks them",
    "psdvec_simulate_options_check": "the call that takes the options checks them",
    # Other ways to the same thing.
    "psdvec_topics_probability": "psdvec_topics_probabilities has all words of a topic",
    "psdvec_edit_distance": "a helper for messages; psdvec_suggest uses it",
    "psdvec_method_name": "methods are named by str",
    "psdvec_method_find": "methods are named by str",
    "psdvec_model_similar": "psdvec_model_similar_many with one query",
    "psdvec_model_cosine": "similarity also takes words that the model does not have",
    "psdvec_model_check_word": "Model.verify checks all words",
    "psdvec_model_explain_pair": "psdvec_model_compare includes it",
    "psdvec_residuals": "psdvec_residuals_each",
    "psdvec_interactions": "psdvec_interactions_full",
    "psdvec_test_open": "psdvec_test_list_open also opens single sets",
    "psdvec_test_list_path": "scores have the names of the sets",
    "psdvec_test_detect": "for programs that tell models and sets apart",
    "psdvec_scorer_word": "score takes iterables of token lists",
    "psdvec_scorer_pause": "score takes iterables of token lists",
    "psdvec_scorer_end": "score takes iterables of token lists",
    "psdvec_scorer_finish": "score takes iterables of token lists",
    "psdvec_scorer_self": "a detail of messages of the program",
    "psdvec_scorer_interpolation": "a detail of messages of the program",
    "psdvec_scorer_discount": "the same",
    "psdvec_model_write_fit": "psdvec_model_write_fits does the same",
    "psdvec_scorer_text_options": "Model.tokenize tokenizes as the text of the model was",
    "psdvec_counts_settings": "Counts.info has the settings as a dict",
    "psdvec_counts_origin": "Counts.info has the inputs as a list",
    "psdvec_model_origin": "Model.info has settings, inputs and results as dicts",
    "psdvec_origin_free": "Model.info has settings, inputs and results as dicts",
    "psdvec_topics_apply_text": "Topics.transform takes an iterable of texts",
    "psdvec_file_checksum": "for the cache of the server; Python has hashlib",
    "psdvec_map_format_of": "psdvec_map_draw finds the format by the suffix",
    # What Python has already.
    "psdvec_machine_memory": "the operating system's business",
    "psdvec_threads": "for messages of the program",
    "psdvec_memory_budget": "for messages of the program",
}


@pytest.fixture(scope="module")
def program():
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip(f"there is no program {PROGRAM}")

    def run(*arguments):
        return subprocess.run([PROGRAM, *arguments, "--help"], check=True, text=True,
                              capture_output=True, env={**os.environ, "COLUMNS": "80"}).stdout
    return run


def commands(help_of):
    """The names of all commands, by the help of the program."""
    found = []
    pattern = r"^  ([a-z][a-z-]*(?: [a-z][a-z-]*)?)( \.\.\.)?  +\S"
    for name, more in re.findall(pattern, help_of(), re.M):
        if more:
            found += re.findall(rf"^  ({name} [a-z-]+)  +\S", help_of(name), re.M)
        else:
            found.append(name)
    return found


def options(help_of, command):
    """The options of a command that are not about the output, by its help."""
    text = help_of(*command.split()).split("\nExamples:\n")[0]
    found = set(re.findall(r"^(?:  -\w, |      )--([a-z0-9-]+)", text, re.M)) - OUTPUT
    return found if command in REAL_FORMAT else found - {"format"}


def find(name):
    """What has this name: train, Model.verify."""
    found = psdvec
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters(function):
    """The names of the arguments of a function, and of the options that it takes by the tables, as
    the command line calls them."""
    if not callable(function):
        return set()
    found = set(inspect.signature(function).parameters)
    for kind in getattr(function, "option_kinds", ()):
        i = 0
        while True:
            row = _library.lib.psdvec_options_at(kind, i)
            if not row:
                break
            flag = _library.text(row.contents.flag) or _library.text(row.contents.name)
            found |= {flag.replace("-", "_"), _library.text(row.contents.name)}
            i += 1
    return found


def test_every_command_has_a_python_form(program):
    found = commands(program)
    assert len(found) > 30
    assert set(found) == set(COMMANDS) | set(NOT_IN_PYTHON)
    for name, _ in COMMANDS.values():
        assert find(name) is not None


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_has_a_python_form(program, command):
    name, other_names = COMMANDS[command]
    found = options(program, command)
    if command not in ("info", "counts info"):
        assert "threads" in found
    have = parameters(find(name)) | {"threads", "memory", "seed", "temp_dir"}
    missing = []
    for option in sorted(found):
        other = other_names.get(option, option.replace("-", "_"))
        if other.startswith("("):
            continue
        if other not in have and not (other in other_names.values() and hasattr_path(other)):
            missing.append(option)
    assert not missing, f"psdvec.{name} has no form of these options of psdvec {command}"
    assert set(other_names) <= found, "an exception is no option any more"


def hasattr_path(name):
    try:
        find(name)
    except AttributeError:
        return False
    return True


def used_functions():
    """The functions of the library that the package uses: lib.NAME in its source."""
    used = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("psdvec_"):
                used.add(node.attr)
    return used


def test_every_function_of_the_library_is_used():
    used = used_functions() - {"psdvec_options_size"}  # only in tests
    unused = {name for name in _abi.FUNCTIONS if name not in used}
    assert unused == set(UNUSED), (
        f"without a Python form: {sorted(unused - set(UNUSED))}; "
        f"used although listed as unused: {sorted(set(UNUSED) - unused)}")
    assert all(UNUSED.values())


def test_every_table_of_options_is_used():
    used = set()
    for value in [*(getattr(psdvec, name) for name in psdvec.__all__), psdvec.Model.map, psdvec.Model.report,
                  psdvec.WordMap.save]:
        used |= set(getattr(value, "option_kinds", ()))
    assert set(Kind) - used == {Kind.OPTIONS_QUERY}  # arguments of Model.most_similar


def test_the_check_can_fail(program):
    assert "top" in options(program, "similar")
    assert "no_such_option" not in parameters(psdvec.train)
    assert {"dim", "window", "threads", "min_count"} <= parameters(psdvec.train)
