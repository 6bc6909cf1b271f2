#!/bin/sh
# Compares the binary interface of the shared library with the one that is recorded in
# tests/abi/libpsdvec.abi: programs that were compiled with it must still work. Prints TAP.
#
#   tests/check_abi.sh            check $BUILD/libpsdvec.so, and that the check can fail
#   tests/check_abi.sh --write    record the interface of $BUILD/libpsdvec.so (make abi)
#
# Additions are compatible: functions, values of enumerations, and members at the end of structs
# that may grow.
set -u
# Options have a size member; of the others the library returns a pointer to a single one.
growing='psdvec_[a-z0-9_]*_options|psdvec_(counts|model|test|topics)_info|psdvec_origin|psdvec_topic_mixture'
here=$(dirname "$0")
headers=$here/../include/psdvec
recorded=$here/abi/libpsdvec.abi
library=${BUILD:-build}/libpsdvec.so
CC=${CC:-cc}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# Types that the headers declare without members.
opaque_types() { # headers
    cat "$@" | sed -n 's/^typedef struct \(psdvec_[a-z0-9_]*\) \1;.*/\1/p'
}
# A description without anything that depends on the machine or the build folder, or on the members
# of opaque types. libabigail makes types opaque that are not defined in the public headers; that
# works only with this label. (Its option --headers-dir ignores folders, and src/ has headers with
# the names of public ones.) Clang does not record where types are defined that are in no header, so
# awk makes the rest of them opaque.
describe() { # library | headers
    shared=$1
    shift
    cat >"$scratch/opaque.suppr" <<'END'
[suppress_type]
  label = Artificial private types suppression specification
  source_location_not_regexp = (^|/)psdvec/[a-z]+[.]h$
  drop = yes
END
    abidw --exported-interfaces-only --drop-undefined-syms --drop-private-types \
        --suppr "$scratch/opaque.suppr" --no-architecture --no-corpus-path \
        --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
        --no-write-default-sizes --type-id-style hash "$shared" >"$scratch/whole.abi" || return 1
    awk -v types=" $(opaque_types "$@" | tr '\n' ' ')" '
        /<class-decl name=.psdvec_[a-z0-9_]*. size-in-bits=/ {
            match($0, /name=.[a-z0-9_]*/)
            if (index(types, " " substr($0, RSTART + 6, RLENGTH - 6) " ")) {
                sub(/ size-in-bits=.[0-9]*./, "")
                sub(/visibility=.default./, "& is-declaration-only='"'yes'"'")
                if (!/\/>$/) inside = sub(/>$/, "/>")
                print
                next
            }
        }
        !inside { print }
        /<\/class-decl>/ { inside = 0 }' "$scratch/whole.abi"
}
soname() { sed -n "1s/.* soname='\([^']*\)'.*/\1/p" "$1"; }

# The new description, in which the structs that may grow have only the members of the old one.
ungrown() { # old | new
    awk -v growing="<class-decl name=.($growing). size-in-bits=" '
        $0 ~ growing {
            match($0, /name=.[a-z0-9_]*/)
            name = substr($0, RSTART + 6, RLENGTH - 6)
            match($0, /size-in-bits=.[0-9]*/)
            bits = substr($0, RSTART + 14, RLENGTH - 14) + 0
            inside = 1
            count = 0
            if (NR == FNR) size[name] = bits
            else if (name in size && bits > size[name])
                $0 = substr($0, 1, RSTART + 13) size[name] substr($0, RSTART + RLENGTH)
        }
        inside && /<data-member / {
            count++
            if (NR == FNR) members[name] = count
            else if (name in members && count > members[name]) skipping = 1
        }
        NR != FNR && !skipping { print }
        /<\/data-member>/ { skipping = 0 }
        /<\/class-decl>/ { inside = 0 }' "$1" "$2"
}

# Prints the incompatible changes for programs compiled with the old interface.
incompatible() { # old | new
    ungrown "$1" "$2" >"$scratch/ungrown.abi"
    abidiff --no-added-syms --no-show-locs "$1" "$scratch/ungrown.abi" >"$scratch/report" 2>&1 && return
    cat "$scratch/report"
}

why_not() { # a reason not to run; empty: none
    if ! command -v abidw >/dev/null || ! command -v abidiff >/dev/null; then
        echo "abidiff and abidw are not installed (Debian: abigail-tools)"
    elif [ ! -e "$library" ]; then
        echo "there is no $library"
    elif [ "$(getconf LONG_BIT)" != 64 ]; then
        echo "the interface is recorded for machines with 64 bits"
    elif ! describe "$library" "$headers"/*.h >"$scratch/new.abi" || ! grep -q "class-decl name='psdvec_" "$scratch/new.abi"; then
        echo "$library has no debug information"
    fi
}

if [ "${1:-}" = --write ]; then
    reason=$(why_not)
    if [ -n "$reason" ]; then
        echo "tests/abi/libpsdvec.abi was not written: $reason" >&2
        exit 1
    fi
    cp "$scratch/new.abi" "$recorded" || exit 1
    echo "tests/abi/libpsdvec.abi: the interface of $(soname "$recorded")"
    exit
fi

number=0 failed=no
result() { # passed? | description | details
    number=$((number + 1))
    if [ "$1" = yes ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "$3" ] || printf '%s\n' "$3" | sed 's/^/# /'
        failed=yes
    fi
}
report() { # description | what was found
    if [ -z "$2" ]; then result yes "$1" ""; else result no "$1" "$2"; fi
}

reason=$(why_not)
if [ -n "$reason" ]; then
    echo "ok 1 - the library is compatible with its recorded interface # SKIP $reason"
    echo "1..1"
    exit 0
fi

old=$(soname "$recorded") new=$(soname "$scratch/new.abi")
found=
if [ "$old" != "$new" ]; then
    found="The SONAME has changed from $old to $new.
This is a new interface: run 'make abi' and commit tests/abi/libpsdvec.abi."
else
    found=$(incompatible "$recorded" "$scratch/new.abi")
    [ -z "$found" ] || found="$found

Programs compiled with the interface of tests/abi/libpsdvec.abi may fail with this library.
Either keep the old interface, and add to it instead, or make the change in a version with a new
SONAME (docs/how-to/embed-in-c.md, \"Versions\"). Run 'make abi' and commit tests/abi/libpsdvec.abi only
  - if this interface has never been released,
  - for a release with a new SONAME, or
  - if the change is compatible after all, such as a longer psdvec_text_options inside of
    psdvec_count_options, whose sizes are both told at run time."
fi
report "the library is compatible with its recorded interface" "$found"
if [ -z "$found" ] && ! abidiff "$recorded" "$scratch/new.abi" >"$scratch/report" 2>&1; then
    echo "# There are compatible additions; 'make abi' records them."
fi
report "what the headers do not define is opaque in the record" "$(
    for type in $(opaque_types "$headers"/*.h); do
        grep "class-decl name='$type' " "$recorded" | grep -v "is-declaration-only='yes'"
    done
    grep -q "class-decl name='psdvec_context' .*is-declaration-only='yes'" "$recorded" || echo "psdvec_context is missing"
)"

# Checks that the check can fail: first with a recorded interface that this library does not have,
# ...
spoilt() { # sed script | description
    sed "$1" "$recorded" >"$scratch/spoilt.abi"
    if cmp -s "$recorded" "$scratch/spoilt.abi"; then
        report "$2" "the record was not changed"
    elif [ -n "$(incompatible "$scratch/spoilt.abi" "$recorded")" ]; then
        report "$2" ""
    else
        report "$2" "it passed"
    fi
}
spoilt "s/psdvec_version/psdvec_vanished/g" "finds a function that is gone"
spoilt "s/name='PSDVEC_ERR_INTERNAL' value='900'/name='PSDVEC_ERR_INTERNAL' value='901'/" \
    "finds a status with another number"
spoilt "s/name='psdvec_train_report' size-in-bits='[0-9]*'/name='psdvec_train_report' size-in-bits='64'/" \
    "finds a report that has become larger"

# ... then with a small library and changes to it.
mkdir -p "$scratch/psdvec"
cat >"$scratch/public.h" <<'END'
#include <stddef.h>
typedef struct psdvec_thing psdvec_thing;
typedef enum psdvec_colour { PSDVEC_RED, PSDVEC_GREEN } psdvec_colour;
typedef struct psdvec_thing_options { size_t size; int first; double second; } psdvec_thing_options;
typedef struct psdvec_model_info { int words; psdvec_colour colour; } psdvec_model_info;
typedef struct psdvec_input_info { int words; double share; } psdvec_input_info;
typedef struct psdvec_thing_report { int words; double seconds; } psdvec_thing_report;
int psdvec_make(const psdvec_thing_options *options, psdvec_thing **thing, psdvec_thing_report *report);
const psdvec_model_info *psdvec_info(const psdvec_thing *thing);
const psdvec_input_info *psdvec_inputs(const psdvec_thing *thing, size_t *count);
END
cat >"$scratch/library.c" <<'END'
#include <psdvec/public.h>
struct psdvec_thing {
    psdvec_model_info info;
#ifdef HIDDEN
    int hidden;
#endif
};
int psdvec_make(const psdvec_thing_options *options, psdvec_thing **thing, psdvec_thing_report *report)
{ return options && thing && report; }
const psdvec_model_info *psdvec_info(const psdvec_thing *thing) { return &thing->info; }
const psdvec_input_info *psdvec_inputs(const psdvec_thing *thing, size_t *count) { return (void)thing, (void)count, NULL; }
#ifdef MORE
int psdvec_more(void) { return 1; }
#endif
END
small_library() { # sed script for the header | compiler options
    sed "$1" "$scratch/public.h" >"$scratch/psdvec/public.h"
    # shellcheck disable=SC2086
    $CC -g -shared -fPIC -I"$scratch" $2 "$scratch/library.c" -o "$scratch/small.so" &&
        describe "$scratch/small.so" "$scratch/public.h"
}
small_library "" "" >"$scratch/small.abi"
try() { # good|bad | sed script | compiler options | description
    if ! small_library "$2" "$3" >"$scratch/changed.abi"; then
        result no "$4" "the small library cannot be built"
        return
    fi
    found=$(incompatible "$scratch/small.abi" "$scratch/changed.abi")
    case $1:$found in
    bad:) result no "finds $4" "it passed" ;;
    bad:*) result yes "finds $4" "" ;;
    good:) result yes "allows $4" "" ;;
    good:*) result no "allows $4" "$found" ;;
    esac
}
try good "" "" "the same interface"
try good "" -DMORE "a new function"
try good "" -DHIDDEN "a change of what is opaque"
try good "s/double second;/& const char *third;/" "" "a new member at the end of options"
try good "s/psdvec_colour colour;/& double late;/" "" "a new member at the end of what a getter returns"
try good "s/PSDVEC_GREEN }/PSDVEC_GREEN, PSDVEC_BLUE }/" "" "a new value of an enumeration"
try bad "s/double second;/int between; &/" "" "a new member between others"
try bad "s/int first; double second;/double second; int first;/" "" "members of options in another order"
try bad "s/int first;/float first;/" "" "a member with another type"
try bad "s/ double second;//" "" "options that lost a member"
try bad "s/double seconds;/& int late;/" "" "a report with a new member"
try bad "s/double share;/& int late;/" "" "elements of an array with a new member"
try bad "s/PSDVEC_RED, PSDVEC_GREEN/PSDVEC_GREEN, PSDVEC_RED/" "" "enumerations with other numbers"
try bad "" -Dpsdvec_info=psdvec_get_info "a function with another name"

echo "1..$number"
[ $failed = no ]
