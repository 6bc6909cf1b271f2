"""Keyword arguments: their names, values, defaults and descriptions come from the library."""

import ctypes
import inspect
import os
from functools import lru_cache
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

from . import _abi
from ._abi import psdvec_option_type as Type
from ._abi import psdvec_options_kind as Kind
from ._errors import OptionError
from ._library import lib, text


class Option(NamedTuple):
    """One option of the library."""

    name: str
    kind: Kind
    type: Type
    default: Optional[str]
    range: str
    help: str
    choices: Tuple[str, ...]
    words: Tuple[str, ...]  # accepted instead of a number, such as "all"
    has_unit: bool          # a number may be a text such as "512M"
    offset: int
    path: bool
    selects_preset: bool


@lru_cache(maxsize=None)
def table(kind: Kind, preset: Optional[str] = None) -> Dict[str, Option]:
    """The options of a table, by name."""
    options: Dict[str, Option] = {}
    room = ctypes.create_string_buffer(1000)
    while True:
        pointer = lib.psdvec_options_at(kind, len(options))
        if not pointer:
            return options
        row = pointer.contents
        lib.psdvec_option_range(pointer, room, len(room))
        default = lib.psdvec_option_default(pointer, preset.encode() if preset else None)
        choices: List[str] = []
        while row.choices and row.choices[len(choices)].name:
            choices.append(text(row.choices[len(choices)].name))
        options[text(row.name)] = Option(
            text(row.name), kind, Type(row.type), default.decode() if default is not None else None,
            room.value.decode(), text(row.help), tuple(choices),
            tuple(text(word) for word in (row.word, row.second_word) if word), bool(row.unit),
            row.offset, bool(row.path), bool(row.selects_preset))


def _as_text(function: str, option: Option, value: Any) -> str:
    """A value in the form that the library reads."""
    if isinstance(value, bool):
        if option.type != Type.OPTION_FLAG:
            raise TypeError(f"{function}() argument {option.name!r} must be {option.range}, not bool")
        return "yes" if value else "no"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if option.type == Type.OPTION_FLAG:
        raise TypeError(f"{function}() argument {option.name!r} must be a bool, "
                        f"not {type(value).__name__}")
    if hasattr(value, "__index__"):
        return str(value.__index__())
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{function}() argument {option.name!r} must be {option.range}, "
                        f"not {type(value).__name__}") from None
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


class Settings:
    """An options struct of the library, filled in from keyword arguments."""

    def __init__(self, kind: Kind, preset: Optional[str], function: str, given: Dict[str, Any],
                 handle: Any = None):
        self._keep: List[Any] = []  # what the struct points to
        self._handle = handle or lib.psdvec_settings_new(kind, preset.encode() if preset else None)
        if not self._handle:
            choices = [option for option in table(kind).values() if option.selects_preset]
            raise OptionError(f"{function}(): " + ", ".join(
                f"{option.name!r} must be {option.range}, not {preset!r}" for option in choices))
        lists = []
        for name, value in given.items():
            option = table(kind)[name]
            if option.type == Type.OPTION_TEXTS:
                lists.append((option, [value] if isinstance(value, str) else list(value)))
                continue
            if option.type in (Type.OPTION_DOUBLES, Type.OPTION_UINT32S) and not isinstance(value, str):
                elements = value if isinstance(value, Iterable) else [value]
                value = ",".join(_as_text(function, option, element) for element in elements)
            self._check(lib.psdvec_settings_set(self._handle, name.encode(),
                                                _as_text(function, option, value).encode()))
        self._check(lib.psdvec_settings_finish(self._handle))
        self.pointer = lib.psdvec_settings_struct(self._handle)
        for option, words in lists:  # words may contain commas, which separate elements of a text
            self._set_texts(function, option, words)

    def _check(self, status: int) -> None:
        if status:
            raise OptionError(lib.psdvec_settings_message(self._handle).decode())

    def _set_texts(self, function: str, option: Option, words: Sequence[Any]) -> None:
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"{function}() argument {option.name!r} must be a list of str")
        array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        self._keep.append(array)
        ctypes.c_void_p.from_address(self.pointer + option.offset).value = ctypes.addressof(array)
        size = ctypes.sizeof(ctypes.c_void_p)
        ctypes.c_size_t.from_address(self.pointer + option.offset + size).value = len(words)

    def struct(self, kind: Any) -> Any:
        """The struct as this class of _abi, as long as the settings exist."""
        return kind.from_address(self.pointer)

    def cast(self, kind: Any) -> Any:
        """A pointer to the struct, as this class of _abi."""
        return ctypes.cast(self.pointer, ctypes.POINTER(kind))

    def apply(self, struct: Any) -> None:
        """Copies the options that were given to another struct, as long as the settings exist."""
        lib.psdvec_settings_apply(self._handle, ctypes.byref(struct))

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib is not None:
            lib.psdvec_settings_free(handle)


def split(function: str, kinds: Sequence[Kind], given: Dict[str, Any]) -> Dict[Kind, Dict[str, Any]]:
    """Sorts keyword arguments by table. None means the default."""
    parts: Dict[Kind, Dict[str, Any]] = {kind: {} for kind in kinds}
    for name, value in given.items():
        for kind in kinds:
            if name in table(kind):
                if value is not None:
                    parts[kind][name] = value
                break
        else:
            names = sorted({name for kind in kinds for name in table(kind)})
            candidates = (ctypes.c_char_p * (len(names) + 1))(*(n.encode() for n in names), None)
            near = lib.psdvec_suggest(name.encode(), candidates)
            hint = f"; did you mean {near.decode()!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
    return parts


_Function = TypeVar("_Function", bound=Callable[..., Any])


def documented(kinds: Sequence[Kind], preset: Optional[str] = None,
               without: Iterable[str] = ()) -> Callable[[_Function], _Function]:
    """Declares that the `**options` of a function, or of a class, are those of some tables.

    The decorator describes them in the docstring, in place of `**options`, and lists them in the
    signature, which notebooks use to complete names; `without` names options that it does not take.
    """
    def declare(function: _Function) -> _Function:
        code: Any = function.__init__ if inspect.isclass(function) else function
        signature = inspect.signature(code)
        parameters = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
        taken = {p.name for p in parameters} | set(without)
        described = {p.name for p in parameters if p.kind != p.POSITIONAL_ONLY} | set(without)
        indent = " " * 8 if signature.parameters.get("self") and code is function else " " * 4
        function.__doc__ = (function.__doc__ or "").replace(
            f"{indent}**options\n", describe(kinds, preset, described, indent) + "\n")
        names = {name: None for kind in kinds for name in table(kind) if name not in taken}
        parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
                       for name in names]
        code.__signature__ = signature.replace(parameters=parameters)
        code.option_kinds, code.left_out = tuple(kinds), frozenset(without)
        return function
    return declare


_NUMBERS = {Type.OPTION_INT: "int", Type.OPTION_UINT32: "int", Type.OPTION_UINT64: "int",
            Type.OPTION_DOUBLE: "float", Type.OPTION_DOUBLES: "float", Type.OPTION_UINT32S: "int"}


def annotation(option: Option) -> str:
    """The type of a keyword argument, as type checkers read it."""
    if option.type == Type.OPTION_FLAG:
        kinds = ["bool"]
    elif option.type == Type.OPTION_CHOICE:
        kinds = [f"Literal[{', '.join(map(repr, option.choices))}]"]
    elif option.type == Type.OPTION_TEXT:
        kinds = ["str", "os.PathLike[str]"] if option.path else ["str"]
    elif option.type == Type.OPTION_TEXTS:
        kinds = ["str", "Sequence[str]"]
    else:
        kinds = [_NUMBERS[option.type]]
        if option.type in (Type.OPTION_DOUBLES, Type.OPTION_UINT32S):
            kinds.append(f"Sequence[{kinds[0]}]")
        if option.has_unit:
            kinds.append("str")
        elif option.words:
            kinds.append(f"Literal[{', '.join(map(repr, option.words))}]")
    return f"Optional[{kinds[0]}]" if len(kinds) == 1 else f"Union[None, {', '.join(kinds)}]"


def describe(kinds: Sequence[Kind], preset: Optional[str] = None, without: Iterable[str] = (),
             indent: str = "    ") -> str:
    """The options of some tables as a section of a numpy-style docstring."""
    lines = []
    seen = set(without)  # and the options of TEXT are also those of COUNT
    for kind in kinds:
        for option in table(kind, preset).values():
            if option.name in seen:
                continue
            seen.add(option.name)
            default = f", default {option.default}" if option.default not in (None, "") else ", optional"
            lines.append(f"{indent}{option.name} : {option.range}{default}")
            lines.append(f"{indent}    {option.help[:1].upper()}{option.help[1:]}.")
    return "\n".join(lines)
