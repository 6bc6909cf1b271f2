"""A binding of libpsdvec that is generated at run time from psdvec-api.json.

No struct, enumeration, constant or prototype of the library is declared here: all of them come from
the description, and options are set by name. Only the standard library is needed.

    python3 binding.py psdvec-api.json libpsdvec.so text.txt WORD

counts the text, trains a model, and prints one JSON object with the library's report and the
nearest words of WORD. tests/cli/api.bats compares it with the program's output.
"""
import ctypes
import json
import sys


class Library:
    def __init__(self, description, path):
        with open(description, encoding="utf-8") as file:
            self.api = json.load(file)
        self.library = ctypes.CDLL(path)
        self.constants = dict(self.api["constants"])
        for enum in self.api["enums"].values():
            self.constants.update(enum["values"])
        self.types = {name: scalar(name, t) for name, t in self.api["types"].items()}
        for name, enum in self.api["enums"].items():
            self.types[name] = integer(enum["signed"], enum["size"])
        for name in list(self.api["opaque"]) + list(self.api["structs"]):
            self.types[name] = type(name, (ctypes.Structure,), {})
        for name, callback in self.api["callbacks"].items():
            parameters = [self.type(p) for p in callback["parameters"]]
            self.types[name] = ctypes.CFUNCTYPE(self.type(callback["returns"]), *parameters)
        for name, struct in self.api["structs"].items():
            self.define(self.types[name], struct)

    def define(self, made, struct):
        """Members of a struct; the layout of ctypes must equal the compiler's."""
        made._fields_ = [(m["name"], self.type(m)) for m in struct["members"]]
        assert ctypes.sizeof(made) == struct["size"], made
        for member in struct["members"]:
            field = getattr(made, member["name"])
            assert (field.offset, field.size) == (member["offset"], member["size"]), (made, member)

    def type(self, described):
        """The ctypes type of a member, parameter or result."""
        pointers = described["pointers"]
        made = self.types[described["base"]]
        if pointers and described["base"] in self.api["callbacks"]:
            pointers -= 1  # a ctypes function is already a pointer
        elif pointers and made in (None, ctypes.c_char):
            made = ctypes.c_void_p if made is None else ctypes.c_char_p
            pointers -= 1
        for _ in range(pointers):
            made = ctypes.POINTER(made)
        return made * described["array"] if "array" in described else made

    def call(self, name, *arguments):
        """Calls a function; a status other than OK is raised as an error."""
        function = getattr(self.library, name)
        described = self.api["functions"][name]
        if function.argtypes is None:
            function.argtypes = [self.type(p) for p in described["parameters"]]
            result = described["returns"]
            function.restype = self.type(result)
            if function.restype is ctypes.c_char_p:  # a word may not end with a zero byte
                function.restype = ctypes.POINTER(ctypes.c_char)
        if len(arguments) != len(function.argtypes):
            raise TypeError(f"{name} takes {len(function.argtypes)} arguments")
        given = [a.pointer(t) if isinstance(a, Settings) else a
                 for a, t in zip(arguments, function.argtypes)]
        result = function(*given)
        if described["returns"]["type"] == "psdvec_status" and result != self.constants["PSDVEC_OK"]:
            raise RuntimeError(self.message(name, arguments))
        return result

    def message(self, name, arguments):
        first = arguments[0]
        if isinstance(first, Settings):
            return self.text("psdvec_settings_message", first)
        return self.text("psdvec_error_message", first)

    def text(self, name, *arguments):
        pointer = self.call(name, *arguments)
        return ctypes.string_at(pointer).decode("utf-8")

    def new(self, name):
        """A struct to be filled in, or a pointer to an opaque type."""
        if name in self.api["structs"]:
            return self.types[name]()
        return ctypes.POINTER(self.types[name])()

    def numbers(self, struct):
        """The numeric members of a struct, as a dictionary; NAN is None."""
        members = self.api["structs"][type(struct).__name__]["members"]
        names = [m["name"] for m in members
                 if m["pointers"] == 0 and m["base"] in self.api["types"] and "array" not in m]
        values = ((name, getattr(struct, name)) for name in names)
        return {name: value if value == value else None for name, value in values}


class Settings:
    """Options by name."""

    def __init__(self, library, kind, preset=None, **options):
        self.library = library
        number = library.constants[kind]
        self.handle = library.call("psdvec_settings_new", number, preset)
        try:
            for name, value in options.items():
                library.call("psdvec_settings_set", self, name.encode(), str(value).encode())
            library.call("psdvec_settings_finish", self)
        except RuntimeError:
            self.free()
            raise

    def pointer(self, wanted):
        if isinstance(self.handle, wanted):  # a call on the settings themselves
            return self.handle
        return ctypes.cast(self.library.call("psdvec_settings_struct", self), wanted)

    def free(self):
        self.library.call("psdvec_settings_free", self)


def integer(signed, size):
    kinds = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}
    return getattr(ctypes, f"c_{'' if signed else 'u'}{kinds[size]}")


def scalar(name, described):
    if name == "char":
        return ctypes.c_char
    if described["kind"] == "void":
        return None
    if described["kind"] == "boolean":
        return ctypes.c_bool
    if described["kind"] == "real":
        return {4: ctypes.c_float, 8: ctypes.c_double}[described["size"]]
    return integer(described["kind"] == "signed", described["size"])


def demonstrate(description, path, text, word):
    lib = Library(description, path)
    result = {"version": lib.text("psdvec_version")}

    ctx = lib.new("psdvec_context")
    resources = Settings(lib, "PSDVEC_OPTIONS_CONTEXT", threads=2)
    lib.call("psdvec_context_new", resources, ctypes.byref(ctx))

    inputs = (ctypes.c_char_p * 1)(text.encode())
    count = Settings(lib, "PSDVEC_OPTIONS_COUNT", b"default", min_count=2, case="keep")
    report = lib.new("psdvec_count_report")
    lib.call("psdvec_count", ctx, count, inputs, 1, b"binding.counts", ctypes.byref(report))
    result["count"] = lib.numbers(report)

    train = Settings(lib, "PSDVEC_OPTIONS_TRAIN", b"default", dim=12)
    report = lib.new("psdvec_train_report")
    lib.call("psdvec_train", ctx, train, b"binding.counts", b"binding.safetensors",
             ctypes.byref(report))
    result["train"] = lib.numbers(report)
    result["log_joint"] = lib.numbers(report.joint)

    model = lib.new("psdvec_model")
    lib.call("psdvec_model_open", ctx, b"binding.safetensors", ctypes.byref(model))
    info = lib.call("psdvec_model_get_info", model).contents
    result["info"] = lib.numbers(info)
    result["info"]["method"] = info.method.decode()
    result["iterations"] = [info.iterations[k].objective for k in range(info.iteration_count)]

    number = ctypes.c_uint32()
    spelled = word.encode()
    if not lib.call("psdvec_model_find", model, spelled, len(spelled), ctypes.byref(number)):
        raise SystemExit(f"the model does not know {word}")
    vector = (ctypes.c_float * info.dim)()
    lib.call("psdvec_model_copy", model, number, vector)
    query = Settings(lib, "PSDVEC_OPTIONS_QUERY", **{"except": number.value})
    most = 5
    neighbours = (lib.types["psdvec_neighbour"] * most)()
    found = ctypes.c_size_t()
    lib.call("psdvec_model_similar", ctx, model, vector, query, most, neighbours,
             ctypes.byref(found))
    result["neighbours"] = []
    for neighbour in neighbours[:found.value]:
        length = ctypes.c_size_t()
        letters = lib.call("psdvec_model_word", model, neighbour.word, ctypes.byref(length))
        result["neighbours"].append([ctypes.string_at(letters, length.value).decode("utf-8"),
                                     neighbour.cosine])

    # A failure must carry the message of the library.
    try:
        lib.call("psdvec_model_open", ctx, b"absent.safetensors", ctypes.byref(lib.new("psdvec_model")))
    except RuntimeError as error:
        result["error"] = str(error)
    try:
        Settings(lib, "PSDVEC_OPTIONS_TRAIN", dim=0)
    except RuntimeError as error:
        result["option_error"] = str(error)

    for settings in (resources, count, train, query):
        settings.free()
    lib.call("psdvec_model_close", model)
    lib.call("psdvec_context_free", ctx)
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    demonstrate(*sys.argv[1:])
