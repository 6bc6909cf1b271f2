"""Reports on models."""

import ctypes
from typing import Any, Optional, Sequence, Tuple, Union

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._context import Context
from ._library import lib
from ._model import Model
from ._operations import open_sets
from ._options import Settings, split
from ._types import Path, Show


def describe(function: str, model: Model, words: Optional[Sequence[Union[str, int]]],
             sets: Union[None, Path, Sequence[Path]], progress: Show, options: Any) -> Tuple[str, str]:
    """The description of a model as JSON and as text."""
    given = split(function, [Kind.OPTIONS_DESCRIBE, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_DESCRIBE, None, function, given[Kind.OPTIONS_DESCRIBE])
    context = Context(given[Kind.OPTIONS_CONTEXT], function, progress)
    chosen = [model._number(word) for word in words or []]
    made = ctypes.c_void_p()
    try:
        with open_sets(context, sets) as tests:
            context.run(lib.psdvec_model_describe, settings.cast(_abi.psdvec_describe_options), model._model,
                        ctypes.cast((ctypes.c_void_p * len(tests))(*tests), ctypes.c_void_p), len(tests),
                        (ctypes.c_uint32 * len(chosen))(*chosen), len(chosen), ctypes.byref(made))
        length = ctypes.c_size_t()
        parts = []
        for get in (lib.psdvec_description_json, lib.psdvec_description_text):
            start = get(made, ctypes.byref(length))
            parts.append(ctypes.string_at(start, length.value).decode("utf-8", "replace"))
        return parts[0], parts[1]
    finally:
        lib.psdvec_description_free(made)
