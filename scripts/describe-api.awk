# Converts the public headers into a C program that prints psdvec-api.json, the description of the C
# interface for bindings (docs/how-to/embed-in-c.md).
#
#   cc -E -dD -Iinclude psdvec.c | awk -v soname=NAME -f scripts/describe-api.awk >describe.c
#
# The headers are read after preprocessing. They have few forms of declarations, and anything else
# ends this script with an error. The program contains assertions that compare every type with the
# compiler's; it computes sizes, offsets and values. So the description is right if the program
# compiles.

function fail(why) {
    print "describe-api.awk: " why > "/dev/stderr"
    failed = 1
    exit 1
}

function trim(s) {
    sub(/^[ \t]+/, "", s)
    sub(/[ \t]+$/, "", s)
    return s
}

# One declaration on one line: single blanks between words, none elsewhere.
function tidy(s) {
    gsub(/[ \t\n]+/, " ", s)
    gsub(/ ?[*] ?/, "*", s)
    gsub(/ ?\( ?/, "(", s)
    gsub(/ ?\) ?/, ")", s)
    gsub(/ ?\[ ?/, "[", s)
    gsub(/ ?\] ?/, "]", s)
    gsub(/ ?, ?/, ",", s)
    return trim(s)
}

# Splits at `separator` outside parentheses and braces, into part[1..]; returns the number of parts.
function split_outside(s, separator, part,    i, c, depth, n) {
    n = 1
    part[1] = ""
    depth = 0
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "(" || c == "{") depth++
        if (c == ")" || c == "}") depth--
        if (c == separator && depth == 0) part[++n] = ""
        else part[n] = part[n] c
    }
    return n
}

# "*const*" as "*const *", after a base type as "const char *const *".
function with_stars(base, stars) {
    gsub(/[*]const/, "*const ", stars)
    sub(/ $/, "", stars)
    return stars == "" ? base : base " " stars
}

# A tidy declaration of one object: "const char*const*inputs", "double quantiles[5]", "const
# uint32_t(*asked)[3]", or without a name. Sets d_name, d_type in C notation, d_base without const,
# d_pointers, d_array (elements, 0: no array), d_pointer_to (the type of a pointer to it) and
# d_specifiers, which further declarators share.
function declare(s,    stars, rest, bounds) {
    bounds = ""
    d_array = d_pointers = 0
    if (s ~ /[:{]/ || s ~ /[^A-Za-z0-9_*,()\[\] ]/) fail("cannot describe '" s "'")
    if (match(s, /\(\*[A-Za-z0-9_]*\)/)) { # pointer to an array
        d_name = substr(s, RSTART + 2, RLENGTH - 3)
        rest = substr(s, RSTART + RLENGTH)
        s = substr(s, 1, RSTART - 1)
        if (rest !~ /^(\[[0-9]+\])+$/ || s ~ /[*]/) fail("cannot describe '" s "(*" d_name ")" rest "'")
        d_specifiers = s
        d_type = s " (*)" rest
        d_pointer_to = s " (**)" rest
        d_pointers = 1
    } else {
        if (s ~ /\(/) fail("cannot describe '" s "'")
        if (match(s, /(\[[0-9]+\])+$/)) {
            bounds = substr(s, RSTART)
            s = substr(s, 1, RSTART - 1)
            if (bounds !~ /^\[[0-9]+\]$/) fail("cannot describe '" s bounds "': more than one dimension")
            d_array = substr(bounds, 2) + 0
        }
        if (match(s, /[*].*/)) {
            rest = substr(s, RSTART)
            d_specifiers = substr(s, 1, RSTART - 1)
            stars = ""
            while (match(rest, /^[*](const[* ]|const$)?/)) {
                d_pointers++
                if (RLENGTH > 1) {
                    stars = stars "*const"
                    rest = substr(rest, 7)
                    sub(/^ /, "", rest)
                } else {
                    stars = stars "*"
                    rest = substr(rest, 2)
                }
            }
            d_name = rest
            d_type = with_stars(d_specifiers, stars)
        } else {
            # The name is the last word, unless there is only a type.
            d_name = s
            sub(/^.* /, "", d_name)
            d_specifiers = substr(s, 1, length(s) - length(d_name))
            sub(/ $/, "", d_specifiers)
            if (d_specifiers == "" || d_specifiers == "const") {
                d_specifiers = s
                d_name = ""
            }
            d_type = d_specifiers
        }
        d_pointer_to = bounds == "" ? d_type " *" : d_type " (*)" bounds
        if (bounds != "") d_type = d_type " " bounds
    }
    if (d_name !~ /^[A-Za-z0-9_]*$/) fail("cannot describe '" s "'")
    d_base = d_specifiers
    sub(/^const /, "", d_base)
    sub(/ const$/, "", d_base)
    if (d_base ~ /^(struct|union|enum) /) fail("'" s "': the type should be named by its typedef")
    if (d_base == "_Bool") d_base = "bool"
    gsub(/_Bool/, "bool", d_type)
    if (!(d_base in seen_base)) {
        seen_base[d_base] = 1
        base[++bases] = d_base
    }
}

# The declared object as members of a JSON object.
function described(    s) {
    s = "\"type\": \"" d_type "\", \"base\": \"" d_base "\", \"pointers\": " d_pointers
    return d_array ? s ", \"array\": " d_array : s
}

# Replaces `from` by `to`. Not with gsub, whose treatment of backslashes depends on the awk.
function replace(s, from, to,    n, i, part, joined) {
    n = split(s, part, from)
    joined = part[1]
    for (i = 2; i <= n; i++) joined = joined to part[i]
    return joined
}

# A C string literal.
function quoted(s) {
    s = replace(s, "\n", "\\n") # first: the split of some awks always splits at ends of lines
    s = replace(s, "\"", "\\\"")
    return "\"" s "\""
}

# Lines of the program: JSON, and JSON followed by a number.
function put(s) { body = body "    put(" quoted(s) ");\n" }
function put_number(s, number) {
    put(s)
    body = body "    put_integer((long long)(" number "));\n"
}
function assert(expression, type, what) {
    asserts = asserts "_Static_assert(_Generic(" expression ", " type ": 1, default: 0), " \
        quoted(what " is described as " type) ");\n"
}

# Return type and parameters of "const char*name(int x)" as JSON; sets f_name and f_pointer, the
# type of a pointer to such a function.
function signature(s,    open, head, list, n, i, part, json, types) {
    open = index(s, "(")
    head = substr(s, 1, open - 1)
    list = substr(s, open + 1)
    if (!open || list !~ /\)$/) fail("cannot describe '" s "'")
    list = substr(list, 1, length(list) - 1)
    declare(head)
    if (d_name == "") fail("'" s "' has no name")
    f_name = d_name
    f_pointer = d_type " (*)("
    # Bytes without a terminating zero: `length` receives their number.
    json = "\"returns\": {" described() \
        (d_type == "const char *" && list ~ /size_t *\* *length/ ? ", \"length\": \"length\"" : "") \
        "}, \"parameters\": ["
    n = list == "void" ? 0 : split_outside(list, ",", part)
    types = ""
    for (i = 1; i <= n; i++) {
        declare(part[i])
        json = json (i > 1 ? ", " : "") "{\"name\": \"" d_name "\", " described() "}"
        types = types (i > 1 ? ", " : "") d_type
    }
    f_pointer = f_pointer (n ? types : "void") ")"
    return json "]"
}

function add_enum(name, list,    n, i, part, value) {
    n = split_outside(list, ",", part)
    if (trim(part[n]) == "") n--
    if (name != "") {
        enums[++enum_count] = name
        enum_header[name] = header
    }
    for (i = 1; i <= n; i++) {
        value = part[i]
        sub(/=.*/, "", value)
        value = trim(value)
        if (name == "") constant[++constants] = value
        else enum_value[name, ++enum_size[name]] = value
    }
}

function add_struct(name, list,    n, i, m, k, part, item, first) {
    structs[++struct_count] = name
    struct_header[name] = header
    n = split_outside(list, ";", part)
    for (i = 1; i <= n; i++) {
        if (tidy(part[i]) == "") continue
        m = split_outside(tidy(part[i]), ",", item)
        for (k = 1; k <= m; k++) {
            declare(k == 1 ? item[k] : tidy(first " " item[k]))
            if (k == 1) first = d_specifiers
            if (d_name == "") fail(name ": '" item[k] "' has no name")
            struct_member[name, ++struct_size[name]] = d_name
            struct_json[name, struct_size[name]] = described()
            assert("&((" name " *)0)->" d_name, d_pointer_to, name "." d_name)
        }
    }
}

# A complete declaration, without its semicolon; an inline function without its body.
function declaration(s,    name, list, exported, json) {
    exported = gsub(/__attribute__ *\( *\(visibility *\( *"default" *\) *\) *\)/, "", s)
    s = trim(s)
    if (s ~ /^typedef enum [a-z0-9_]+ *\{/ || s ~ /^enum *\{/ || s ~ /^typedef struct [a-z0-9_]+ *\{/) {
        name = s
        sub(/^.*\}/, "", name)
        name = trim(name)
        list = s
        sub(/^[^{]*\{/, "", list)
        sub(/\}[^}]*$/, "", list)
        if (s ~ /^typedef struct/) add_struct(name, list)
        else add_enum(name, list)
    } else if (s ~ /^typedef struct [a-z0-9_]+ [a-z0-9_]+$/) {
        sub(/^.* /, "", s)
        declared[++declared_count] = s
    } else if (s ~ /^typedef [^({]*\(.*\)$/) {
        sub(/^typedef /, "", s)
        json = signature(tidy(s))
        callback[++callbacks] = "\"" f_name "\": {\"header\": \"" header "\", " json "}"
        seen_callback[f_name] = 1
        assert("(" f_name " *)0", f_pointer, f_name)
    } else if (s ~ /^static inline /) {
        sub(/^static inline /, "", s)
        json = signature(tidy(s))
        inline_function[++inlines] = "\"" f_name "\": {\"header\": \"" header "\", " json "}"
        assert("&" f_name, f_pointer, f_name)
    } else if (exported) {
        json = signature(tidy(s))
        functions[++function_count] = "\"" f_name "\": {\"header\": \"" header "\", " json "}"
        assert("&" f_name, f_pointer, f_name)
    } else {
        fail("cannot describe '" s "' of " header)
    }
}

# ---- Reading -------------------------------------------------------------------------------------
# "# 12 "include/psdvec/model.h" 2": the file that the next lines come from.
/^# [0-9]+ "/ {
    file = $0
    sub(/^# [0-9]+ "/, "", file)
    sub(/".*$/, "", file)
    ours = file ~ /(^|\/)psdvec\/[a-z]+\.h$/ || file ~ /(^|\/)psdvec\/options\/[a-z]+\.def$/
    if (file ~ /\.h$/) {
        sub(/^.*\//, "", file)
        in_header = file
    }
    next
}
!ours { next }
/^#define PSDVEC_[A-Z0-9_]+ +[^ ]/ {
    if ($3 !~ /^__attribute__/) constant[++constants] = $2
    next
}
/^#/ { next }
{
    n = length($0)
    for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        if (c == "(" || c == "[") depth++
        if (c == ")" || c == "]") depth--
        if (c == "{") {
            if (!braces && text ~ /^[ \t]*static inline /) {
                body_of_inline = 1
                declaration(tidy(text))
            }
            braces++
        }
        if (c == "}" && --braces == 0 && body_of_inline) {
            body_of_inline = 0
            text = ""
            continue
        }
        if (c == ";" && !braces && !depth) {
            gsub(/[ \t]+/, " ", text)
            if (trim(text) != "") declaration(text)
            text = ""
        } else if (!body_of_inline) {
            if (text == "") header = in_header
            if (text != "" || c !~ /[ \t]/) text = text c
        }
    }
    if (text != "") text = text " "
}

# ---- Writing -------------------------------------------------------------------------------------
function heading(name) { put((sections++ ? ",\n" : "") "  \"" name "\": {") }
function close_heading() { put("\n  }") }
function comma(i) { return i > 1 ? ",\n    " : "\n    " }

function write_types(    i, count) {
    heading("types")
    for (i = 1; i <= bases; i++) {
        if (base[i] in ours_by_name) continue
        put(comma(++count) "\"" base[i] "\": {")
        if (base[i] == "void")
            put("\"kind\": \"void\", \"size\": 0}")
        else
            body = body "    TYPE(" base[i] ");\n"
    }
    close_heading()
}

function write_constants(    i) {
    heading("constants")
    for (i = 1; i <= constants; i++) {
        put(comma(i) "\"" constant[i] "\": ")
        body = body "    PUT(" constant[i] ");\n"
    }
    close_heading()
}

function write_enums(    i, k, name) {
    heading("enums")
    for (i = 1; i <= enum_count; i++) {
        name = enums[i]
        put_number(comma(i) "\"" name "\": {\"header\": \"" enum_header[name] "\", \"size\": ", "sizeof(" name ")")
        put(", \"signed\": ")
        body = body "    put((" name ")-1 < (" name ")1 ? \"true\" : \"false\");\n"
        put(", \"values\": {")
        for (k = 1; k <= enum_size[name]; k++)
            put_number((k > 1 ? ", " : "") "\"" enum_value[name, k] "\": ", enum_value[name, k])
        put("}}")
    }
    close_heading()
}

function write_structs(    i, k, name, member) {
    heading("structs")
    for (i = 1; i <= struct_count; i++) {
        name = structs[i]
        put_number(comma(i) "\"" name "\": {\"header\": \"" struct_header[name] "\", \"size\": ", "sizeof(" name ")")
        put_number(", \"alignment\": ", "_Alignof(" name ")")
        put(", \"members\": [")
        for (k = 1; k <= struct_size[name]; k++) {
            member = struct_member[name, k]
            put((k > 1 ? "," : "") "\n      {\"name\": \"" member "\", " struct_json[name, k])
            put_number(", \"offset\": ", "offsetof(" name ", " member ")")
            put_number(", \"size\": ", "sizeof((" name " *)0)->" member)
            put("}")
        }
        put("]}")
    }
    close_heading()
}

function write_list(name, list, count,    i) {
    heading(name)
    for (i = 1; i <= count; i++) put(comma(i) list[i])
    close_heading()
}

function write_opaque(    i, count) {
    put(",\n  \"opaque\": [")
    for (i = 1; i <= declared_count; i++)
        if (!(declared[i] in struct_size)) {
            put((count++ ? ", " : "") "\"" declared[i] "\"")
            ours_by_name[declared[i]] = 1
        }
    put("]")
}

END {
    if (failed) exit 1
    if (trim(text) != "") fail("'" text "' does not end")
    if (!function_count || !struct_count) fail("no declaration was found")
    for (i = 1; i <= enum_count; i++) ours_by_name[enums[i]] = 1
    for (i = 1; i <= struct_count; i++) ours_by_name[structs[i]] = 1
    for (name in seen_callback) ours_by_name[name] = 1
    put("{\n  \"library\": \"psdvec\",\n  \"version\": \"")
    body = body "    put(PSDVEC_VERSION);\n"
    put("\",\n  \"soname\": \"" soname "\",\n")
    put_number("  \"pointer_size\": ", "sizeof(void *)")
    write_opaque()
    sections = 1
    write_types()
    write_constants()
    write_enums()
    write_structs()
    write_list("callbacks", callback, callbacks)
    write_list("functions", functions, function_count)
    write_list("inline_functions", inline_function, inlines)
    put("\n}\n")

    print "/* Made by scripts/describe-api.awk. */"
    print "#include <psdvec/psdvec.h>"
    print "#include <stdio.h>"
    print ""
    print asserts
    print "static void put(const char *text) { fputs(text, stdout); }"
    print "static void put_integer(long long value) { printf(\"%lld\", value); }"
    print "static void put_unsigned(unsigned long long value) { printf(\"%llu\", value); }"
    print "static void put_real(double value) { printf(\"%.17g\", value); }"
    print "static void put_text(const char *text) { printf(\"\\\"%s\\\"\", text); }"
    print "typedef void any(void);"
    print "static any *const unused[] = {(any *)put_unsigned, (any *)put_real, (any *)put_text};"
    print "#define PUT(value) _Generic((value), char *: put_text, float: put_real, double: put_real, \\"
    print "    unsigned long: put_unsigned, unsigned long long: put_unsigned, default: put_integer)(value)"
    print "#define KIND(type) ((type)0.5 != 0 ? (type)2 == 1 ? \"boolean\" : \"real\" \\"
    print "                    : (type)-1 < (type)1 ? \"signed\" : \"unsigned\")"
    print "#define TYPE(type) \\"
    print "    printf(\"\\\"kind\\\": \\\"%s\\\", \\\"size\\\": %d}\", KIND(type), (int)sizeof(type))"
    print "\nint main(void)\n{\n    (void)unused;"
    printf "%s", body
    print "    return fflush(stdout) || ferror(stdout);\n}"
}
