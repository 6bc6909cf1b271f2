# Files generated from the declarations: manual pages, completions, the options reference.
load common

setup() { common_setup; }

@test "there is a manual page for every visible command" {
    mkdir man
    "$PSDVEC" internal-man man
    [ "$(ls man | tr '\n' ' ')" = "psdvec-analogy.1 psdvec-ask.1 psdvec-baseline-cca.1 psdvec-baseline-glove.1 psdvec-baseline-ppmi.1 psdvec-baseline-sgns.1 psdvec-baseline-sparse.1 psdvec-baseline-svd.1 psdvec-compare.1 psdvec-convert.1 psdvec-count.1 psdvec-counts-dump.1 psdvec-counts-export.1 psdvec-counts-import.1 psdvec-counts-info.1 psdvec-counts-merge.1 psdvec-counts-show.1 psdvec-eval.1 psdvec-explain.1 psdvec-explore.1 psdvec-extend.1 psdvec-fit-temperature.1 psdvec-generate.1 psdvec-help.1 psdvec-info.1 psdvec-interaction.1 psdvec-map.1 psdvec-next.1 psdvec-odd-one-out.1 psdvec-phrases.1 psdvec-report.1 psdvec-residuals.1 psdvec-score.1 psdvec-similar.1 psdvec-simulate.1 psdvec-table.1 psdvec-tokenize.1 psdvec-topics-apply.1 psdvec-topics-compare.1 psdvec-topics-learn.1 psdvec-topics-page.1 psdvec-topics-show.1 psdvec-train.1 psdvec-vector.1 psdvec.1 " ]
}

@test "man and mandoc report no problems" {
    command -v man mandoc >/dev/null || skip "neither man nor mandoc"
    mkdir man
    SOURCE_DATE_EPOCH=0 "$PSDVEC" internal-man man
    # This one is written by hand, without a date, of which mandoc would warn.
    sed '1s/ "" / 1970-01-01 /' "$HERE/../../mpi/psdvec-mpi.1" >man/psdvec-mpi.1
    for page in man/*; do
        if command -v man >/dev/null; then
            man --warnings -l "$page" 2>warnings >/dev/null
            [ ! -s warnings ]
        fi
        if command -v mandoc >/dev/null; then
            mandoc -Tlint "$page"
        fi
    done
}

@test "manual pages have the date of SOURCE_DATE_EPOCH, or none" {
    mkdir a b
    SOURCE_DATE_EPOCH=0 "$PSDVEC" internal-man a
    grep -q '^\.TH PSDVEC 1 1970-01-01 ' a/psdvec.1
    (unset SOURCE_DATE_EPOCH && "$PSDVEC" internal-man b)
    grep -q '^\.TH PSDVEC 1 "" ' b/psdvec.1
}

@test "manual pages into a missing folder: status 5" {
    refused 5 "cannot write nosuch/psdvec.1" internal-man nosuch
}

@test "an unknown shell is refused" {
    refused 2 "the shell must be bash, zsh or fish, not 'tcsh'" internal-completion tcsh
}

@test "docs/reference/options.md agrees with the options tables" {
    "$PSDVEC" internal-options >options.md
    diff -u "$HERE/../../docs/reference/options.md" options.md || {
        echo "The options tables have changed; run 'make reference' and commit the page."
        return 1
    }
    # The names of all rows of the tables, which begin with the type, the C type, the member and the
    # name.
    sed -n 's/^PSDVEC_OPTION([A-Z0-9]*, [^,]*, [a-z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' \
        "$HERE"/../../include/psdvec/options/*.def >names
    [ "$(wc -l <names)" -eq "$(cat "$HERE"/../../include/psdvec/options/*.def | grep -c '^PSDVEC_OPTION(')" ]
    while read -r name; do grep -qF -- "- **\`$name\`**: " options.md; done <names
}

# complete_bash WORD...: the completions that bash offers for the last word. The scripts call
# psdvec.
complete_bash() {
    PATH=$(dirname "$PSDVEC"):$PATH bash -c 'source ./completion.bash
             COMP_WORDS=("$@")
             COMP_CWORD=$(($# - 1))
             _psdvec
             echo "${COMPREPLY[*]}"' bash "$@"
}

@test "bash completes commands, options, choices and files" {
    "$PSDVEC" internal-completion bash >completion.bash
    bash -n completion.bash
    mkdir data
    touch data.txt
    [ "$(complete_bash psdvec '')" = "train extend info report table eval convert fit-temperature baseline similar analogy odd-one-out compare vector map ask explore score next explain generate residuals simulate interaction topics count tokenize phrases counts help --help --version" ]
    [ "$(complete_bash psdvec counts '')" = "info show dump merge export import" ]
    [ "$(complete_bash psdvec help cou)" = "count counts" ]
    [ "$(complete_bash psdvec count --tok)" = "--tokenizer" ]
    [ "$(complete_bash psdvec count --tokenizer '')" = "words whitespace original icu" ]
    [ "$(complete_bash psdvec count --color = a)" = "auto always" ]
    [ "$(complete_bash psdvec counts dump --form)" = "--format" ]
    [ "$(complete_bash psdvec counts dump --format j)" = "json" ]
    [ "$(complete_bash psdvec count data | tr ' ' '\n' | sort | tr '\n' ' ')" = "data data.txt " ]
    [ "$(complete_bash psdvec count --temp-dir da)" = "data" ]
    [ "$(complete_bash psdvec convert --to '')" = "model word2vec word2vec-binary glove npy" ]
    [ "$(complete_bash psdvec count --seed '')" = "" ]
    [ "$(complete_bash psdvec count --log = da | tr ' ' '\n' | sort | tr '\n' ' ')" = "data data.txt " ]
    [ "$(complete_bash psdvec count -q --qu)" = "" ]
}

@test "zsh loads its completion" {
    command -v zsh >/dev/null || skip "no zsh"
    "$PSDVEC" internal-completion zsh >_psdvec
    zsh -n _psdvec
    [ "$(zsh -fc 'autoload -Uz compinit; compinit -u -D; source ./_psdvec; print $_comps[psdvec]')" = _psdvec ]
    [ "$(zsh -fc 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[psdvec]')" = _psdvec ]
}

@test "fish completes commands, options and choices" {
    command -v fish >/dev/null || skip "no fish"
    export HOME=$PWD PATH=$(dirname "$PSDVEC"):$PATH
    "$PSDVEC" internal-completion fish >psdvec.fish
    fish -n psdvec.fish
    complete_fish() { fish -c "source psdvec.fish; complete -C '$1'" | cut -f 1 | sort | tr '\n' ' '; }
    [ "$(complete_fish 'psdvec ')" = "--help --version analogy ask baseline compare convert count counts eval explain extend fit-temperature generate help info interaction next odd-one-out residuals score similar simulate table tokenize train vector " ]
    [ "$(complete_fish 'psdvec counts ')" = "dump export import info merge show " ]
    [ "$(complete_fish 'psdvec counts dump --form')" = "--format " ]
    [ "$(complete_fish 'psdvec count --distance ')" = "harmonic linear uniform " ]
    [ "$(complete_fish 'psdvec count --distance=h')" = "--distance=harmonic " ]
    mkdir data
    touch data.txt
    [ "$(complete_fish 'psdvec count da')" = "data.txt data/ " ]
    [ "$(complete_fish 'psdvec count --log=da')" = "--log=data.txt --log=data/ " ]
    [ "$(complete_fish 'psdvec count --temp-dir da')" = "data/ " ]
}

@test "the bill of materials lists every linked library once" {
    command -v python3 >/dev/null || skip "python3 is not installed"
    command -v ldd >/dev/null || skip "ldd is not installed"
    [ -z "${SANITIZE:-}" ] || skip "a program with sanitizers is not distributed"
    for run in a b; do
        SOURCE_DATE_EPOCH=0 python3 "$HERE/../../scripts/sbom.py" "$PSDVEC" 1.2.3 "${CC:-cc}" >$run.json
    done
    cmp a.json b.json
    readelf -dW "$PSDVEC" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' >needed
    [ -s needed ]
    python3 - <<'END'
import json, re
bill = json.load(open("a.json"))
assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
assert bill["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
root = bill["metadata"]["component"]
assert (root["name"], root["version"]) == ("psdvec", "1.2.3") and root["licenses"]
everything = [root, *bill["components"]]
refs = [component["bom-ref"] for component in everything]
assert len(refs) == len(set(refs)), refs
for component in everything:
    assert component["type"] in ("application", "library") and component["version"], component
    for digest in component.get("hashes", []):
        assert digest["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", digest["content"])
    for licence in component.get("licenses", []):
        assert set(licence) in ({"expression"}, {"license"}), licence
graph = {node["ref"]: node.get("dependsOn", []) for node in bill["dependencies"]}
assert set(graph) == set(refs)
assert all(ref in graph for uses in graph.values() for ref in uses)
direct = {ref.split("@")[0] for ref in graph[root["bom-ref"]]}
needed = {line.strip() for line in open("needed")}
assert needed <= direct, needed - direct
known = {component["name"]: component for component in bill["components"]}
assert all("licenses" in known[name] for name in needed), "a licence is missing"
assert sum(component.get("scope") == "excluded" for component in everything) == 1  # the compiler
END
}
