"""The faults of each class of calls, and what inject.c is told about them."""

import errno

# The faults of each class: a name, and what inject.c is told. The slice uses those marked True.
FAULTS = {
    "alloc": [("ENOMEM", "", True), ("ENOMEM-on", "again=1", False)],
    "map": [("ENOMEM", "", True), ("ENOMEM-on", "again=1", False)],
    "open": [("EMFILE", "", True), ("EACCES", "", False), ("EMFILE-on", "again=1", False)],
    "read": [("EIO", "", True), ("EIO-on", "again=1", False), ("short", "kind=short", True),
             ("short-on", "kind=short;again=1", False), ("EINTR", "", True),
             ("EINTR-on", "again=1", False)],
    "write": [("ENOSPC", "", True), ("EIO", "", False), ("ENOSPC-on", "again=1", False),
              ("short", "kind=short", True), ("short-on", "kind=short;again=1", False),
              ("EINTR", "", True), ("EINTR-on", "again=1", False)],
    "stdio": [("EIO", "", True), ("ENOSPC-on", "again=1", False)],
    "sync": [("EIO", "", True), ("EIO-on", "again=1", False)],
    "close": [("EIO", "", True)],
    "rename": [("EACCES", "", True), ("EIO-on", "again=1", False)],
    "link": [("EIO", "", True), ("ENOSPC-on", "again=1", False)],
    "unlink": [("EACCES", "", True), ("EACCES-on", "again=1", False)],
    "mkdir": [("EACCES", "", True), ("ENOSPC", "", False)],
    "truncate": [("ENOSPC", "", True)],
    "stat": [("EIO", "", True), ("EACCES-on", "again=1", False)],
    "lock": [("ENOLCK", "", True)],
    "thread": [("EAGAIN", "", True), ("EAGAIN-on", "again=1", False)],
}
# The exit statuses for a failure of a class, where only some fit: 5 is that of outputs, 6 that of
# memory and other resources (docs/reference/exit-status.md).
STATUSES = {"alloc": (6,), "map": (6,), "thread": (6,), "write": (5,), "sync": (5,),
            "rename": (5,), "link": (5,), "mkdir": (5,), "truncate": (5,)}
CLASSES = [*FAULTS, "kill", "power"]
# Where kill -9 strikes: before a call that changes a file or a folder.
KILL_CLASSES = ("open", "write", "sync", "close", "link", "rename", "unlink", "mkdir", "truncate")


def fault_text(class_, kind, at):
    if kind == "kill":
        return f"class={class_};at={at};kind=kill"
    how = next(how for name, how, _ in FAULTS[class_] if name == kind)
    number = getattr(errno, kind.removesuffix("-on"), 0)
    return f"class={class_};at={at};error={number}" + (";" + how if how else "")


def sweep_text(class_, kind):
    """The same for a sweep."""
    number = getattr(errno, kind.removesuffix("-on"), 0)
    what = kind.removesuffix("-on") if kind.startswith(("short", "kill")) else "fail"
    return f"sweep={class_}:{number}:{what}:{int(kind.endswith('-on'))}"
