# Compares skip-gram and CBOW with gensim's, if python3 has it: vectors learnt from the same text with
# the same settings have similar scores.
load ../cli/common
load with_gensim

# learn SKIPGRAM RATE: theirs.vec from corpus.txt, by gensim. Its initial vectors are twice as long
# as word2vec's, which has a lasting effect on a small text; so they are halved.
learn() {
    "$PYTHON" - "$1" "$2" <<'END' 2>gensim.log || { cat gensim.log; return 1; }
import sys
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
skipgram, rate = int(sys.argv[1]), float(sys.argv[2])
text = LineSentence("corpus.txt")
model = Word2Vec(vector_size=50, window=5, min_count=5, negative=5, sg=skipgram, alpha=rate, min_alpha=1e-4 * rate,
                 sample=1e-3, epochs=40, hs=0, cbow_mean=1, seed=1, workers=1)
model.build_vocab(text)
model.wv.vectors *= 0.5
model.train(text, total_examples=model.corpus_count, epochs=40)
model.wv.save_word2vec_format("theirs.vec")
END
}

# scores MODEL: set, score and number of questions, one set per line.
scores() {
    "$PSDVEC" eval "$1" similarity.txt analogies.txt --resamples 0 --format tsv |
        awk -F'\t' 'NR > 1 && $2 == "" { print $1 ":" $3, $5, $8 }'
}

# For every set the scores are equal within two standard errors of a difference plus 0.03, the
# difference between two seeds on so small a text; or better.
alike() {
    paste -d' ' ours theirs | awk '
        { n = $3; ours = $2; theirs = $5 }
        /^similarity/ { error = (1 - theirs * theirs) / sqrt(n - 1) }
        /^analogies/ { error = sqrt(theirs * (1 - theirs) / n) }
        { lines++; print $1, "psdvec", ours, "gensim", theirs, "error", error }
        !(ours >= theirs - 2 * sqrt(2) * error - 0.03) || theirs < 0.3 { bad = 1 }
        END { exit bad || lines < 3 }'
}

@test "skip-gram learns as well as gensim's" {
    "$PYTHON" "$FIGURES" corpus . 300 1
    learn 1 0.025
    "$PSDVEC" baseline sgns corpus.txt --dim 50 --epochs 40 -q -o ours.st
    scores ours.st >ours
    scores theirs.vec >theirs
    alike
}

@test "CBOW learns as well as gensim's" {
    "$PYTHON" "$FIGURES" corpus . 300 2
    learn 0 0.05
    "$PSDVEC" baseline sgns --cbow corpus.txt --dim 50 --epochs 40 -q -o ours.st
    scores ours.st >ours
    scores theirs.vec >theirs
    alike
}
