"""Files that the user did not name."""

import os
import re
import shutil
import tempfile
import weakref
from typing import Any, Optional, Tuple

_PREFIX = "psdvec-"


def _remove(path: str, process: int) -> None:
    if process == os.getpid():  # not in a forked process, whose parent still uses the folder
        shutil.rmtree(path, ignore_errors=True)


class TemporaryFolder:
    """A folder that is deleted with the object, or when the interpreter ends."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def temporary(what: str = "model", suffix: str = ".safetensors") -> Tuple[TemporaryFolder, str]:
    """A folder for a file that the user did not name, and the path of the file. `what` is what the
    file contains, as messages call it.
    """
    folder = TemporaryFolder()
    return folder, os.path.join(folder.path, what + suffix)


def place(output: Any, what: str = "model") -> Tuple[Optional[TemporaryFolder], str]:
    """Where a result goes: the file `output`, or a temporary one."""
    return (None, os.fspath(output)) if output is not None else temporary(what)


def nameless(message: str) -> str:
    """A message in which temporary files have no file names."""
    folder = re.escape(os.path.join(tempfile.gettempdir(), _PREFIX)) + r"\w{8}"
    return re.sub(folder + re.escape(os.sep) + r"(\w+)(\.\w+)+", r"the \1", message)
