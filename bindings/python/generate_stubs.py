#!/usr/bin/env python3
"""Writes type stubs (.pyi) for the modules whose functions take options of the library.

    generate_stubs.py PACKAGE

PACKAGE is the folder of a complete package. A stub is the module without the bodies of its
functions; in place of `**options` it has one keyword argument per option, with the type that the
library's table gives it. Modules without such functions have their types in their source.
"""

import ast
import importlib
import os
import sys


def constant(value):
    """Whether a default can be in a stub as it is."""
    try:
        ast.literal_eval(value)
        return True
    except ValueError:
        return False


def signature(function, code):
    """Replaces the `**options` of the function's arguments by those of its tables."""
    from psdvec._options import annotation, table
    arguments = function.args
    arguments.defaults = [d if constant(d) else ast.Constant(...) for d in arguments.defaults]
    arguments.kw_defaults = [d if d is None or constant(d) else ast.Constant(...)
                             for d in arguments.kw_defaults]
    if arguments.kwarg is None or not hasattr(code, "option_kinds"):
        return {}
    options = {}
    for kind in code.option_kinds:
        for name, option in table(kind).items():
            if name not in code.left_out:
                options.setdefault(name, annotation(option))
    arguments.kwarg = None
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
        kind = options.pop(argument.arg, None)
        if kind is not None and argument.annotation and ast.unparse(argument.annotation) == "str":
            argument.annotation = ast.parse(kind[len("Optional["):-1], mode="eval").body
    for name, kind in options.items():
        arguments.kwonlyargs.append(ast.arg(name, ast.parse(kind, mode="eval").body))
        arguments.kw_defaults.append(ast.Constant(None))
    return options


def attributes(function):
    """The attributes of `self` that a method sets and whose types are known."""
    types = {a.arg: a.annotation for a in function.args.args + function.args.kwonlyargs}
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign):
            target, kind = node.target, node.annotation
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            target, kind = node.targets[0], types.get(node.value.id)
        else:
            continue
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self" and kind:
            yield target.attr, ast.unparse(kind)


def body(statements, owner, indent=""):
    """The lines of a stub for the statements of a module or class."""
    lines = []
    overloaded = set()
    for node in statements:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)):
            lines.append(ast.unparse(node) + getattr(node, "type_ignore", ""))
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            lines += body(node.body, owner)
        elif isinstance(node, ast.Try):
            lines += body(node.body, owner)
        elif isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(d) for d in node.decorator_list]
            if "overload" in decorators:
                overloaded.add(node.name)
            elif node.name in overloaded:
                continue  # the implementation
            signature(node, getattr(owner, node.name, None))
            node.body = [ast.Expr(ast.Constant(...))]
            node.decorator_list = [d for d, name in zip(node.decorator_list, decorators)
                                   if "documented(" not in name]
            lines.append(ast.unparse(node))
        elif isinstance(node, ast.ClassDef):
            lines += class_stub(node, getattr(owner, node.name))
    return [indent + line for text in lines for line in text.splitlines()]


def class_stub(node, its_class):
    node.decorator_list = []
    declared = {statement.target.id for statement in node.body if isinstance(statement, ast.AnnAssign)}
    members = []
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef):
            found = dict(attributes(statement))
            if statement.name == "__init__":
                found.update(signature(statement, its_class.__init__))
            for name, kind in found.items():
                if name not in declared and not hasattr(its_class, name):
                    declared.add(name)
                    members.append(f"    {name}: {kind}")
    members += body(node.body, its_class, "    ")
    node.body = []
    return [ast.unparse(node) + ("" if members else " ...")] + members


def parse(source):
    """The module, with the comments `# type: ignore` of its declarations."""
    module = ast.parse(source, type_comments=True)
    tags = {ignore.lineno: ignore.tag for ignore in module.type_ignores}
    for node in ast.walk(module):
        if isinstance(node, ast.AnnAssign) and node.lineno in tags:
            node.type_ignore = "  # type: ignore" + tags[node.lineno]
    return module


def stub(name, path):
    with open(path, encoding="utf-8") as file:
        source = file.read()
    if "**options" not in source or name in ("_options", "_abi"):
        return None
    try:
        module = importlib.import_module("psdvec." + name)
    except ImportError as error:
        if "scikit-learn" not in str(error):
            raise
        return None
    lines = ["# Generated by generate_stubs.py; do not edit.",
             "import os", "from typing import Literal, Optional, Sequence, Union"]
    return "\n".join(lines + body(parse(source).body, module)) + "\n"


def main(package):
    sys.path.insert(0, os.path.dirname(os.path.abspath(package)))
    sys.dont_write_bytecode = True
    for file in sorted(os.listdir(package)):
        name, suffix = os.path.splitext(file)
        text = stub(name, os.path.join(package, file)) if suffix == ".py" else None
        if text:
            with open(os.path.join(package, name + ".pyi"), "w", encoding="utf-8") as out:
                out.write(text)


main(sys.argv[1])
