# For tests that compare with gensim, if python3 has it.

python_with_gensim() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import gensim' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

setup() {
    common_setup
    FIGURES=$HERE/../cli/eval/figures.py
    PYTHON=$(python_with_gensim) || skip "no python3 with gensim"
}
