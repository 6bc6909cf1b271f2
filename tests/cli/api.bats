# psdvec-api.json, the description of the C interface that the build generates for bindings.
load common

setup() {
    common_setup
    ROOT=$(realpath "$HERE/../..")
    BUILT=$(dirname "$PSDVEC")
    API=$BUILT/psdvec-api.json
    CC="${CC:-cc} -DPSDVEC_EXPERIMENTAL"
    command -v jq >/dev/null || skip "no jq"
    [ -f "$API" ]
}

# The public headers as one line without comments and preprocessor lines.
headers() {
    sed '/^#/d' "$ROOT"/include/psdvec/*.h | tr '\n' ' ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g'
}

@test "every function that the headers declare and the library exports is described" {
    headers | grep -o 'PSDVEC_API [^;]*;' | sed 's/(.*//; s/.*[ *]//' | LC_ALL=C sort >declared
    jq -r '.functions | keys[]' "$API" | LC_ALL=C sort >described
    [ "$(wc -l <declared)" -ge 100 ]
    diff declared described
    [ -e "$BUILT/libpsdvec.so" ] || skip "no shared library"
    nm -D --defined-only "$BUILT/libpsdvec.so" | awk '$NF ~ /^psdvec_/ { print $NF }' | LC_ALL=C sort >exported
    diff exported described
}

@test "every struct, enumeration, opaque type, callback and constant is described" {
    for kind in structs:struct enums:enum; do
        headers | grep -o "typedef ${kind#*:} psdvec_[a-z0-9_]* *{" | awk '{ print $3 }' | sort >declared
        jq -r ".${kind%:*} | keys[]" "$API" | sort >described
        [ "$(wc -l <declared)" -ge 20 ]
        diff declared described
    done
    headers | grep -o 'typedef struct psdvec_[a-z_]* psdvec_[a-z_]*;' | awk '{ print $3 }' | sort >declared
    jq -r '.opaque[]' "$API" | sort | diff declared -
    headers | grep -o 'typedef [a-z]* psdvec_[a-z_]*_fn(' | sed 's/($//; s/.* //' | sort >declared
    jq -r '.callbacks | keys[]' "$API" | sort | diff declared -
    sed -n 's/^#define \(PSDVEC_[A-Z_]*\) [0-9A-Z"(].*/\1/p' "$ROOT"/include/psdvec/*.h | sort >declared
    grep -q PSDVEC_UNKNOWN_WORD declared
    jq -r '.constants | keys[]' "$API" | grep -v SECTION | sort | diff declared -
    [ "$(jq .constants.PSDVEC_SECTION_SYNTACTIC "$API")" = -3 ]
}

@test "offsets, sizes and values are the compiler's" {
    cat >layout.c <<'END'
#include <psdvec/psdvec.h>
#include <stdio.h>
#define MEMBER(type, member) \
    printf("member " #type " " #member " %d %d\n", (int)offsetof(type, member), (int)sizeof((type *)0)->member)
#define SIZE(type) printf("size " #type " %d\n", (int)sizeof(type))
int main(void)
{
    MEMBER(psdvec_train_report, positive);
    MEMBER(psdvec_train_report, joint);
    MEMBER(psdvec_train_report, joint_seconds);
    MEMBER(psdvec_model_info, has_spread);
    MEMBER(psdvec_model_info, eigenvalues);
    MEMBER(psdvec_model_info, joint_json);
    MEMBER(psdvec_context_options, should_cancel);
    MEMBER(psdvec_context_options, memory);
    MEMBER(psdvec_count_options, text);
    MEMBER(psdvec_count_options, keep_words_count);
    MEMBER(psdvec_train_options, mu);
    MEMBER(psdvec_interaction, words);
    MEMBER(psdvec_interaction, pmi);
    MEMBER(psdvec_neighbour, cosine);
    MEMBER(psdvec_progress, total);
    SIZE(psdvec_train_report);
    SIZE(psdvec_model_info);
    SIZE(psdvec_count_options);
    SIZE(psdvec_interaction);
    SIZE(psdvec_neighbour);
    printf("values %lld %d %d %s\n", (long long)PSDVEC_UNKNOWN_WORD, PSDVEC_ERR_INTERNAL,
           PSDVEC_OPTIONS_QUERY, PSDVEC_VERSION);
    return 0;
}
END
    $CC -std=c11 -I"$ROOT/include" layout.c -o layout
    ./layout >wanted
    while read -r what name member _; do
        case $what in
        member) jq -r ".structs.$name.members[] | select(.name == \"$member\") |
            \"member $name $member \\(.offset) \\(.size)\"" "$API" ;;
        size) jq -r "\"size $name \\(.structs.$name.size)\"" "$API" ;;
        values) jq -r '"values \(.constants.PSDVEC_UNKNOWN_WORD)" +
            " \(.enums.psdvec_status.values.PSDVEC_ERR_INTERNAL)" +
            " \(.enums.psdvec_options_kind.values.PSDVEC_OPTIONS_QUERY) \(.version)"' "$API" ;;
        esac
    done <wanted >got
    [ "$(wc -l <got)" -eq 21 ]
    diff wanted got
}

@test "types are described as C spells them, and in parts" {
    [ "$(jq -c '.structs.psdvec_interaction.members[0] | [.type, .base, .pointers, .array]' "$API")" = \
        '["uint32_t [3]","uint32_t",0,3]' ]
    [ "$(jq -c '.functions.psdvec_count.parameters[2] | [.name, .type, .base, .pointers]' "$API")" = \
        '["inputs","const char *const *","char",2]' ]
    [ "$(jq -c '.functions.psdvec_interactions.parameters[5] | [.name, .type, .pointers]' "$API")" = \
        '["asked","const uint32_t (*)[3]",1]' ]
    [ "$(jq -c '.functions.psdvec_version | [.returns.type, .parameters]' "$API")" = '["const char *",[]]' ]
    [ "$(jq -c '.callbacks.psdvec_cancel_fn | [.returns.type, .parameters[0].type]' "$API")" = '["bool","void *"]' ]
    # Every type can be looked up.
    [ "$(jq -r '((.types + .enums + .structs + .callbacks | keys) + .opaque) as $known |
        [.. | .base? // empty] | unique - $known | length' "$API")" -eq 0 ]
}

# described FROM TO: describes the headers with FROM replaced by TO in them.
described() {
    echo '#include <psdvec/psdvec.h>' >all.c
    $CC -std=c11 -I"$ROOT/include" -E -dD all.c >plain.i
    sed "s/$1/$2/" plain.i >headers.i
    if cmp -s plain.i headers.i; then
        echo "the headers have no '$1'"
        return 1
    fi
    awk -v soname=x -f "$ROOT/scripts/describe-api.awk" headers.i >describe.c
}

@test "a declaration that the script does not understand is an error" {
    for bad in 'unsigned cosine : 3;' 'union { float f; int i; } cosine;' 'void (*cosine)(int);' \
        'float cosine[2][2];' 'struct psdvec_model *cosine;'; do
        run described 'float cosine;' "$bad"
        [ "$status" -ne 0 ]
        echo "$output" | grep -q 'describe-api.awk: .*cosine' || { echo "$bad: $output"; return 1; }
    done
}

@test "a type that was misunderstood does not compile" {
    for change in 'float cosine;:double cosine;:psdvec_neighbour.cosine is described as double' \
        'psdvec_peak_memory(const:psdvec_peak_memory(:psdvec_peak_memory is described as uint64_t' \
        'psdvec_message_level level:int *level:psdvec_message_fn is described as void'; do
        from=${change%%:*} rest=${change#*:}
        described "$from" "${rest%%:*}"
        run $CC -std=c11 -I"$ROOT/include" -c describe.c
        [ "$status" -ne 0 ] || { echo "$change"; return 1; }
        echo "$output" | grep -qF "${rest#*:}" || { echo "$output"; return 1; }
    done
}

@test "a binding without hand-written declarations gives the same results as the program" {
    [ -e "$BUILT/libpsdvec.so" ] && [ -z "${SANITIZE:-}" ] || skip "no shared library that Python can load"
    command -v python3 >/dev/null || skip "no python3"
    awk 'BEGIN {
        split("read write think drink play", stem); split("er ing able less", end)
        split("The a my your", article); split("is was seems", verb)
        for (i = 0; i < 600; i++) {
            w = stem[i % 5 + 1] end[int(i / 5) % 4 + 1]
            print article[i % 4 + 1], w, verb[i % 3 + 1], "un" stem[int(i / 7) % 5 + 1] "able", "and",
                stem[int(i / 3) % 5 + 1], w
        }
    }' >text.txt
    python3 "$HERE/api/binding.py" "$API" "$BUILT/libpsdvec.so" text.txt reader >got.json
    "$PSDVEC" train text.txt --min-count 2 --case keep --dim 12 -o program.safetensors --log log -q
    cmp program.safetensors binding.safetensors

    # The report of training, as in the program's log.
    figures='[.words, .core_words, .dim, .positive, .negative, .pairs, .iterations, .objective]'
    grep '"event": "result"' log | jq -c "$figures" >wanted
    jq -c ".train | $figures" got.json | diff wanted -
    figures='[.words, .dim, .positive, .file_bytes, .ngrams, .spelling_bytes, .has_spread, .method]'
    "$PSDVEC" info program.safetensors --json >info
    jq -c "$figures" info >wanted
    jq -c ".info | $figures" got.json | diff wanted -
    [ "$(jq '.iterations | length' got.json)" -eq 4 ]
    [ "$(jq '.iterations[3] == .train.objective' got.json)" = true ]
    [ "$(jq -c '.count | [.documents, .tokens]' got.json)" = '[600,4200]' ]

    "$PSDVEC" similar program.safetensors reader --forms --top 5 --tsv | rows | cut -f2,3 >wanted
    jq -r '.neighbours[] | @tsv' got.json | awk -F'\t' '{ printf "%s\t%.6f\n", $1, $2 }' | diff wanted -
    [ "$(wc -l <wanted)" -eq 5 ]
    jq -r .error got.json | grep -q 'absent.safetensors.*No such file'
    [ "$(jq -r .option_error got.json)" = "\`dim\` must be a whole number from 1 to 10000, not '0'" ]
}
