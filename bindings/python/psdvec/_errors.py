"""Exceptions: one class for each family of status codes of the library."""

from typing import Dict, Type


class PsdvecError(Exception):
    """An error reported by libpsdvec. `status` is the name of its status code.

    Examples
    --------
    >>> try:
    ...     psdvec.load("nothere")
    ... except psdvec.PsdvecError as error:
    ...     print(type(error).__name__, error.status)
    NotFoundError PSDVEC_ERR_NOT_FOUND
    """

    status = ""


class OptionError(PsdvecError, ValueError):
    """An option or argument is invalid, or contradicts another one."""


class InputError(PsdvecError, OSError):
    """A text or another input cannot be read or used."""


class NotFoundError(InputError, FileNotFoundError):
    """There is no such file or folder."""


class FormatError(PsdvecError, ValueError):
    """A file is not of the expected kind, is damaged, or does not match another one."""


class OutputError(PsdvecError, OSError):
    """An output cannot be written."""


class ResourceError(PsdvecError, RuntimeError):
    """A thread could not be started, or a number does not fit into its type."""


class OutOfMemoryError(ResourceError, MemoryError):
    """Memory is short, or the task does not fit into the limit `memory`."""


class NumericError(PsdvecError, ArithmeticError):
    """A number is not finite."""


class CancelledError(PsdvecError):
    """A callback of the caller stopped the call."""


class InternalError(PsdvecError, RuntimeError):
    """A defect of the library; please report it."""


class PsdvecWarning(UserWarning):
    """A problem that the user should know about; the call continues."""


_BY_STATUS: Dict[int, Type[PsdvecError]] = {
    200: NotFoundError, 500: OutOfMemoryError, 501: OutOfMemoryError, 504: NumericError,
}
_BY_FAMILY: Dict[int, Type[PsdvecError]] = {
    1: OptionError, 2: InputError, 3: FormatError, 4: OutputError, 5: ResourceError,
    6: CancelledError, 9: InternalError,
}


def error_for(status: int, name: str, message: str) -> PsdvecError:
    """The exception for a status of the library."""
    kind = _BY_STATUS.get(status, _BY_FAMILY.get(status // 100, PsdvecError))
    error = kind(message or name)
    error.status = name
    return error
