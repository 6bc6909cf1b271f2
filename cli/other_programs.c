/* A table of names of commands and options in other programs.
 *
 * Names are compared case-insensitively, and with '_' as '-', so that -minCount, --min_count and
 * -min-count are the same. Of several rows with a name, the first that applies to the command is
 * used. */
#include "other_programs.h"

#include "phrase.h"

#include <string.h>

struct row {
    const char *names; /* between blanks */
    const char
        *ours; /* the line to type; for an option its name, or NULL: `purpose` is the advice */
    const char *purpose;
};

static const struct row command_rows[] = {
    {"neighbors neighbours neighbor neighbour nn knn nearest nearest-neighbors nearest-neighbours "
     "most-similar similar-words distance",
     "psdvec similar MODEL WORD", "the nearest neighbours of a word"},
    {"analogies word-analogy similar-by-analogy most-similar-cosmul", "psdvec analogy MODEL A B C",
     "A is to B as C is to what"},
    {"similarity cosine cos", "psdvec compare MODEL WORD WORD", "the similarity of two words"},
    {"doesnt-match outlier odd", "psdvec odd-one-out MODEL WORD WORD WORD",
     "the word that does not fit"},
    {"skipgram skip-gram sgns word2vec w2v baseline-word2vec baseline-skipgram baseline-skip-gram",
     "psdvec baseline sgns INPUT -o MODEL",
     "psdvec train INPUT -o MODEL trains psdvec's vectors; for word2vec"},
    {"cbow baseline-cbow", "psdvec baseline sgns --cbow INPUT -o MODEL",
     "psdvec train INPUT -o MODEL trains psdvec's vectors; for word2vec's CBOW"},
    {"glove", "psdvec baseline glove INPUT -o MODEL",
     "psdvec train INPUT -o MODEL trains psdvec's vectors; for GloVe"},
    {"fasttext fit learn build", "psdvec train INPUT -o MODEL", "training vectors"},
    {"test evaluate evaluation benchmark accuracy compute-accuracy evaluate-word-pairs "
     "evaluate-word-analogies",
     "psdvec eval MODEL [SET]...", "scores on test sets"},
    {"print-word-vectors print-word-vector print-vectors print-sentence-vectors word-vector "
     "word-vectors vectors get-vector embed embedding embeddings",
     "psdvec vector MODEL WORD", "the vector of a word"},
    {"quantize quantise compress", "psdvec convert MODEL OUTPUT --int8", "a smaller model"},
    {"export save save-word2vec-format load-word2vec-format glove2word2vec bin-to-vec",
     "psdvec convert MODEL OUTPUT", "other formats of vectors"},
    {"import load", "psdvec convert VECTORS MODEL", "vectors of other programs"},
    {"vocab-count cooccur cooccurrence", "psdvec count INPUT -o COUNTS",
     "counting words and word pairs"},
    {"predict predict-prob classify supervised", "psdvec score MODEL... [FILE]...",
     "classifying documents, with one model per class"},
    {"describe stats summary show", "psdvec info MODEL", "what a model contains"},
    {"tokenise", "psdvec tokenize INPUT", "the words of a text"},
    {"version", "psdvec --version", "the version"},
    {0}};

static const struct row option_rows[] = {
    {"size vector-size vectorsize dims dimension dimensions ndim embedding-size embedding-dim "
     "layer1-size d",
     "dim", "the number of dimensions"},
    {"epoch epochs iter iters num-epochs", "epochs", "the number of passes over the data"},
    {"epoch epochs iter iters num-epochs max-iter num-iterations", "iterations",
     "the maximum number of iterations, of which more rarely help"},
    {"workers thread num-threads nthreads n-threads jobs n-jobs cores j", "threads",
     "the number of threads"},
    {"mincount min-freq min-frequency vocab-min-count", "min-count",
     "the lowest frequency of words"},
    {"vocab-size max-vocab-size max-final-vocab max-words", "max-vocab",
     "the largest number of words"},
    {"ws window-size context-size", "window", "the size of the window"},
    {"out outfile output-file save save-file", "output", "the file of the result"},
    {"topn top-n topk top-k k n num limit", "top", "the number of results"},
    {"restrict-vocab", "restrict", "results among the most frequent words"},
    {"sample", "subsample", "subsampling of frequent words"},
    {"neg negatives", "negative", "the number of noise words"},
    {"lr eta alpha learning-rate", "rate", "the learning rate"},
    {"lower lowercase lower-case uncased cased", "case", "folding to lower case"},
    {"minn maxn bucket subword subwords", "spelling", "vectors from the spelling of words"},
    {"vocab-file read-vocab", "vocab", "words from a file"},
    {"mem max-memory", "memory", "the memory to be used"},
    {"tmp tmpdir tmp-dir temp tempdir", "temp-dir", "the folder of temporary files"},
    {"colour", "color", "colours"},
    {"tokeniser", "tokenizer", "how text is split into words"},
    {"center", "centre", "subtracting the mean vector"},
    {"questions questions-file question-file test-set tests testset dataset", "set", "a test set"},
    {"questions questions-file question-file set test-set tests testset dataset", "sets",
     "test sets"},
    {"json tsv csv", "format", "the format of the output"},
    {"json", "log", "a record of the run as JSON lines"},
    {"half fp16", "float16", "vectors of two bytes per number"},
    {"quantize quantise", "int8", "vectors of one byte per number"},
    {"binary bin", NULL, "word2vec's binary format is written by psdvec convert MODEL MODEL.bin"},
    {"sg skipgram skip-gram cbow", NULL,
     "word2vec's skip-gram is psdvec baseline sgns, and its CBOW is that with --cbow"},
    {"version", NULL, "the version is printed by psdvec --version"},
    {0}};

/* Names of options of other programs that are operands here. */
static const char operand_names[] =
    "input i train corpus corpus-file input-file infile file files text texts data model m word "
    "words w";

/* The normalised form for comparison. The string lasts. */
static char *plain(const char *name)
{
    char *word = lasting_alloc(strlen(name) + 1, 1);
    for (size_t k = 0; name[k]; k++)
        word[k] = name[k] == '_' || name[k] == ' '   ? '-'
                  : name[k] >= 'A' && name[k] <= 'Z' ? (char)(name[k] - 'A' + 'a')
                                                     : name[k];
    return word;
}

static bool among(const char *names, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = names; length && *at; at += strspn(at, " ")) {
        size_t end = strcspn(at, " ");
        if (end == length && !strncmp(at, word, length))
            return true;
        at += end;
    }
    return false;
}

const char *other_program_command(const char *name)
{
    const char *word = plain(name);
    for (const struct row *row = command_rows; row->names; row++)
        if (among(row->names, word))
            return phrase("%s: %s", row->purpose, row->ours);
    return NULL;
}

/* "--dim N", "-o FILE" */
static const char *use(const struct option_spec *option)
{
    const char *value = option_argument(option);
    const char *name = option->row.letter ? phrase("-%c", option->row.letter)
                                          : phrase("--%s", option->name);
    return value ? phrase("%s %s", name, value) : name;
}

static const char *did_you_mean(const struct option_spec *option)
{
    const char *value = option_argument(option);
    return phrase("did you mean --%s%s%s?", option->name, value ? " " : "", value ? value : "");
}

static const struct option_spec *find_option(const struct command *command, const char *name)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++)
        if (!strcmp(option->name, name))
            return option;
    return NULL;
}

const char *other_program_option(const struct command *command, const char *name,
                                 const struct option_spec **option)
{
    const char *word = plain(name);
    *option = find_option(command, word); /* -minCount, --min_count */
    if (*option)
        return did_you_mean(*option);
    for (const struct row *row = option_rows; row->names; row++) {
        if (!among(row->names, word))
            continue;
        *option = row->ours ? find_option(command, row->ours) : NULL;
        if (*option && option_is_format(*option) && strcmp(word, "csv") != 0)
            return phrase("did you mean --%s?", word);
        if (*option)
            return phrase("for %s, write %s", row->purpose, use(*option));
        if (!row->ours)
            return row->purpose;
    }
    if (among(operand_names, word) && *command->synopsis)
        return phrase("files and words are given without an option: psdvec %s %s", command->name,
                      command->synopsis);
    return NULL;
}
