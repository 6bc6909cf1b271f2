/* Reading test sets: common formats, and errors in files. */
#include "eval/builtin_data.h"
#include "eval/test_set.h"
#include "support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static psdvec_test *read_text(workshop *w, const char *text)
{
    psdvec_test *test;
    scratch_write(w->in, text, strlen(text));
    if (psdvec_test_open(w->ctx, w->in, &test) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    return test;
}

static void assert_refused(workshop *w, const char *text, psdvec_status wanted,
                           const char *sentence)
{
    psdvec_test *test;
    scratch_write(w->in, text, strlen(text));
    psdvec_status got = psdvec_test_open(w->ctx, w->in, &test);
    const char *message = psdvec_error_message(w->ctx);
    if (got != wanted || test || !strstr(message, sentence) || !strstr(message, w->in))
        fail_msg("wanted %s with \"%s\", got %s: %s", psdvec_status_name(wanted), sentence,
                 psdvec_status_name(got), message);
}

static void assert_word(const psdvec_test *t, uint32_t number, const char *word)
{
    size_t length = (size_t)(t->offsets[number + 1] - t->offsets[number]);
    if (length != strlen(word) || memcmp(t->bytes + t->offsets[number], word, length) != 0)
        fail_msg("'%.*s' instead of '%s'", (int)length, t->bytes + t->offsets[number], word);
}

static void assert_pair(const psdvec_test *t, uint32_t q, const char *one, const char *two,
                        float value)
{
    assert_true(q < t->info.questions);
    assert_word(t, t->questions[q].words[0], one);
    assert_word(t, t->questions[q].words[1], two);
    assert_true(t->questions[q].value == value);
}

static void assert_analogy(const psdvec_test *t, uint32_t q, const char *const words[4])
{
    assert_true(q < t->info.questions);
    for (int k = 0; k < 3; k++)
        assert_word(t, t->questions[q].words[k], words[k]);
    assert_int_equal(t->questions[q].listed, 1);
    assert_word(t, t->lists[t->questions[q].list], words[3]);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__})

/* ---- Similarity ------------------------------------------------------------------------------ */

/* Two pairs, tiger cat 7.35 and Plane car 5.77, in each format. */
static void pairs_are_read_in_all_common_formats(void **state)
{
    workshop *w = *state;
    static const char *const forms[] = {
        "tiger cat 7.35\nPlane car 5.77\n",
        "tiger\tcat\t7.35\nPlane\tcar\t5.77",
        "tiger,cat,7.35\r\nPlane,car,5.77\r\n",
        "tiger;cat;7.35\nPlane;car;5.77\n",
        "  tiger   cat  7.35  \n\n\n Plane car\t5.77\n",
        "\xef\xbb\xbf# WordSim\nWord 1,Word 2,Human (mean)\ntiger,cat,7.35\nPlane,car,5.77\n",
        "Word 1\tWord 2\tHuman (mean)\ntiger\tcat\t7.35\nPlane\tcar\t5.77\n",
        "Word 1,Word 2,Human (mean),1,2\ntiger,cat,7.35,9,7\nPlane,car,5.77,6,6\n",
        "tiger-n cat-n 7.35\nPlane-n car-v 5.77\n",
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\ntiger\tcat\tN\t7.35\t4.9\nPlane\tcar\tN\t5.77\t4\n",
        "conc\tword2\tscore\tword1\n1.5\tcat\t7.35\ttiger\n2.5\tcar\t5.77\tPlane\n",
        "tiger\tcat\tV\t7.35\tSYNONYMS\nPlane\tcar\tV\t5.77\tNONE\n",
        "tiger\tcat\t7.35\t10\t8\t7\nPlane\tcar\t5.77\t6\t6\t5\n",
        "t\ttiger\tcat\t7.35\nS\tPlane\tcar\t5.77\n",
        "\"tiger\",\"cat\",\"7.35\"\n\"Plane\" , car , 5.77\n",
    };
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        psdvec_test *t = read_text(w, forms[k]);
        const psdvec_test_info *info = psdvec_test_get_info(t);
        assert_int_equal(info->kind, PSDVEC_TEST_SIMILARITY);
        assert_int_equal(info->questions, 2);
        assert_int_equal(info->sections, 0);
        assert_pair(t, 0, "tiger", "cat", 7.35f);
        assert_pair(t, 1, "Plane", "car", 5.77f);
        psdvec_test_close(t);
    }
}

static void quotes_may_hold_the_separator_and_quotes(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "\"a,b\",\"say \"\"hi\"\"\",3\nc,d,4\n");
    assert_pair(t, 0, "a,b", "say \"hi\"", 3);
    assert_pair(t, 1, "c", "d", 4);
    psdvec_test_close(t);
}

static void one_line_below_a_header_is_enough(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "word1,word2,score\nsun,moon,4.5\n");
    assert_int_equal(t->info.questions, 1);
    assert_pair(t, 0, "sun", "moon", 4.5f);
    psdvec_test_close(t);
}

static void a_hyphen_is_no_part_of_speech_unless_all_words_have_one(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "plan-a b-n 1\nsun moon-n 2\n");
    assert_pair(t, 0, "plan-a", "b-n", 1);
    psdvec_test_close(t);
}

static void equal_words_are_kept_once(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "a b 1\nb a 2\na a 3\nB c 4\n");
    assert_int_equal(t->words, 4);
    assert_int_equal(t->questions[0].words[0], t->questions[2].words[1]);
    assert_pair(t, 3, "B", "c", 4);
    psdvec_test_close(t);
}

/* ---- Analogies ------------------------------------------------------------------------------- */

static void analogies_have_sections_and_empty_ones_are_dropped(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w,
                               ": nothing\n: capital-common countries\nAthens Greece Oslo Norway\n"
                               "Oslo Norway Athens Greece\n: plural\ncat cats dog dogs\n");
    assert_int_equal(t->info.kind, PSDVEC_TEST_ANALOGY);
    assert_int_equal(t->info.questions, 3);
    assert_int_equal(t->info.sections, 2);
    assert_string_equal(psdvec_test_section(t, 0), "capital-common countries");
    assert_string_equal(psdvec_test_section(t, 1), "plural");
    assert_null(psdvec_test_section(t, 2));
    assert_int_equal(t->questions[1].section, 0);
    assert_int_equal(t->questions[2].section, 1);
    assert_analogy(t, 0, WORDS("Athens", "Greece", "Oslo", "Norway"));
    psdvec_test_close(t);
}

static void a_tag_makes_sections_wherever_its_column_is(void **state)
{
    workshop *w = *state;
    static const char *const forms[] = {
        "JJ_JJR good better rough rougher\nNN_NNS cat cats dog dogs\nJJ_JJR big bigger old older\n",
        "good better rough JJ_JJR rougher\ncat cats dog NN_NNS dogs\nbig bigger old JJ_JJR older\n"};
    for (int k = 0; k < 2; k++) {
        psdvec_test *t = read_text(w, forms[k]);
        assert_int_equal(t->info.kind, PSDVEC_TEST_ANALOGY);
        assert_int_equal(t->info.sections, 2);
        assert_string_equal(psdvec_test_section(t, 1), "NN_NNS");
        assert_int_equal(t->questions[2].section, 0);
        assert_analogy(t, 1, WORDS("cat", "cats", "dog", "dogs"));
        psdvec_test_close(t);
    }
}

static void word_pairs_are_combined_into_analogies(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "cat\tkitten/kitty\ndog\tpuppy/pup/whelp\ncat\tkit\n");
    assert_int_equal(t->info.kind, PSDVEC_TEST_ANALOGY);
    assert_int_equal(t->info.questions, 4); /* not cat with cat */
    const pv_question *q = &t->questions[0];
    assert_word(t, q->words[0], "cat");
    assert_word(t, q->words[1], "kitten");
    assert_word(t, q->words[2], "dog");
    assert_int_equal(q->listed, 3);
    assert_word(t, t->lists[q->list], "puppy");
    assert_word(t, t->lists[q->list + 2], "whelp");
    psdvec_test_close(t);
}

static void write_in(workshop *w, const char *folder, const char *name, const char *text)
{
    char *path = scratch_path(w->folder, folder), *file;
    mkdir(path, 0700);
    file = scratch_path(path, name);
    scratch_write(file, text, strlen(text));
    free(file);
    free(path);
}

/* The names of the sets in a folder, each followed by a blank. */
static void assert_sets(workshop *w, const char *path, const char *wanted)
{
    psdvec_test_list *list;
    char names[500] = "";
    size_t count;
    if (psdvec_test_list_open(w->ctx, path, &list) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    const psdvec_test *const *tests = psdvec_test_list_get(list, &count);
    for (size_t k = 0; k < count; k++) {
        strcat(strcat(names, psdvec_test_get_info(tests[k])->name), " ");
        assert_non_null(strstr(psdvec_test_list_path(list, k), tests[k]->info.name));
    }
    assert_string_equal(names, wanted);
    psdvec_test_list_close(list);
}

static void every_file_of_a_folder_is_a_set(void **state)
{
    workshop *w = *state;
    psdvec_test *t;
    char *path = scratch_path(w->folder, "sets/");
    write_in(w, "sets", "b.csv", "a,b,1\nc,d,2\n");
    write_in(w, "sets", "a.txt", "a b c d\nb a d c\n");
    write_in(w, "sets", ".hidden.txt", "a b 1\n");
    write_in(w, "sets", "README", "a b 1\n");
    write_in(w, "sets", "prose.txt", "This is prose.\nIt has lines of all sorts.\nNo set.\n");
    write_in(w, "sets", "vectors.txt", "a 0.1 0.2 0.3\nb 0.4 0.5 0.6\n");
    write_in(w, "sets", "void.txt", "");
    write_in(w, "sets", "page.html", "a b 1\n");
    write_in(w, "sets/more", "c.tsv", "a\tb\t1\nb\tc\t2\n");
    write_in(w, "sets/more", "pairs.txt", "cat\tcats\ndog\tdogs\ncar\tcars\n");
    assert_sets(w, path, "a b c pairs ");
    assert_int_equal(psdvec_test_open(w->ctx, path, &t), PSDVEC_ERR_MISMATCH);
    assert_null(t);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "4 test sets"));
    /* An error in a set is reported. */
    write_in(w, "sets", "b.csv", "a,b,1\nc,d,2\ne,f,much\n");
    psdvec_test_list *list;
    assert_int_equal(psdvec_test_list_open(w->ctx, path, &list), PSDVEC_ERR_DAMAGED);
    assert_null(list);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "b.csv: line 3"));
    free(path);
}

static void a_folder_of_word_pairs_is_one_set(void **state)
{
    workshop *w = *state;
    psdvec_test *t;
    char *path = scratch_path(w->folder, "set/");
    mkdir(w->other, 0700);
    write_in(w, "set", "README.txt", "not a test");
    write_in(w, "set", "metadata.json", "{}");
    write_in(w, "set/b", "I01 [noun - plural].txt", "cat\tcats\ndog\tdogs\ncar\tcars\n");
    write_in(w, "set/a", "y.txt", "cow\tcalf\nhen\tchick\n");
    /* A single file would be words and categories. */
    write_in(w, "set/a", "x.txt", "Kant\tgerman\nHegel\tgerman\nMarx\tgerman\nHume\tscottish\n");
    if (psdvec_test_open(w->ctx, path, &t) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    assert_string_equal(t->info.name, "set");
    assert_int_equal(t->info.kind, PSDVEC_TEST_ANALOGY);
    assert_int_equal(t->info.sections, 3);
    assert_string_equal(psdvec_test_section(t, 0), "x");
    assert_string_equal(psdvec_test_section(t, 2), "I01 [noun - plural]");
    assert_int_equal(t->info.questions, 4 * 3 + 2 * 1 + 3 * 2);
    psdvec_test_close(t);
    /* The folder remains one set among other sets. */
    write_in(w, "set/c", "pairs.csv", "a,b,1\nc,d,2\n");
    assert_sets(w, path, "a I01 [noun - plural] pairs ");
    assert_int_equal(psdvec_test_open(w->ctx, w->other, &t), PSDVEC_ERR_EMPTY);
    rmdir(w->other);
    free(path);
}

static void categories_stay_apart_from_word_pairs(void **state)
{
    workshop *w = *state;
    char *path = scratch_path(w->folder, "groups");
    write_in(w, "groups", "ap.txt", "cat\tanimal\ndog\tanimal\ncow\tanimal\nbus\tvehicle\n");
    write_in(w, "groups", "battig.txt", "oak\ttree\nelm\ttree\nash\ttree\nrose\tflower\n");
    write_in(w, "groups/bats", "1.txt", "cat\tcats\ndog\tdogs\n");
    write_in(w, "groups/bats", "2.txt", "go\twent\nsee\tsaw\n");
    assert_sets(w, path, "ap bats battig ");
    free(path);
}

static void a_cycle_of_links_repeats_no_sets(void **state)
{
    workshop *w = *state;
    char *path = scratch_path(w->folder, "set"), *link = scratch_path(w->folder, "set/b/back");
    write_in(w, "set", "a.csv", "a,b,1\nc,d,2\n");
    write_in(w, "set/b", "b.csv", "a,c,1\n");
    assert_int_equal(symlink("..", link), 0);
    assert_sets(w, path, "a b ");
    free(link);
    free(path);
}

/* ---- Detection ------------------------------------------------------------------------------- */

static bool detects(workshop *w, const char *text, psdvec_test_kind *kind)
{
    bool found;
    scratch_write(w->in, text, strlen(text));
    assert_int_equal(psdvec_test_detect(w->ctx, w->in, &found, kind), PSDVEC_OK);
    return found;
}

static void test_sets_are_distinguished_from_text(void **state)
{
    workshop *w = *state;
    static const char *const sets[] = {
        "tiger cat 7.3\ncar bus 6\nsun moon 5.5\nking queen 8\ncup tea 6.1\n",
        "word1,word2,mean\ntiger,cat,7.3\ncar,bus,6\nsun,moon,5.5\nking,queen,8\ncup,tea,6.1\n",
        ": capitals\nRome Italy Oslo Norway\nRome Italy Bern Swiss\nRome Italy Kiev Ukraine\n"
        "Oslo Norway Rome Italy\nOslo Norway Bern Swiss\n",
        "good better bad worse\nbetter good worse bad\nbad worse good better\n"
        "bad worse big bigger\nbig bigger bad worse\n",
        "big | huge | sad | late\nfast | quick | blue | tall\nold | aged | low | red\n"
        "ill | sick | warm | far\nshy | timid | rich | wet\n",
        ": plural\ncat cats\ndog dogs\ncar cars\n: past\ngo went\nsee saw\n"};
    static const psdvec_test_kind kinds[] = {PSDVEC_TEST_SIMILARITY, PSDVEC_TEST_SIMILARITY,
                                             PSDVEC_TEST_ANALOGY,    PSDVEC_TEST_ANALOGY,
                                             PSDVEC_TEST_CHOICE,     PSDVEC_TEST_ANALOGY};
    static const char *const texts[] = {
        "", "One line of text.\n",
        "Anarchism is a philosophy.\nIt has a long history, they say.\nIn 1890 it was new.\n",
        /* four words each, but not the same ones */
        "the cat sat down\na dog ran off\nmy cow eats grass\nhis hen lays eggs\nwe all went home\n",
        "a b\nc d\ne f\ng h\ni j\nk l\n",                          /* two columns */
        "a 0.1 0.2\nb 0.3 0.1\nc 0.2 0.5\nd 0.1 0.1\ne 0.7 0.3\n", /* vectors */
        "tiger cat 7.3\n",                                         /* one line is not enough */
        "\xff\xfe\n\n"};
    psdvec_test_kind kind;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        assert_true(detects(w, sets[k], &kind));
        assert_int_equal(kind, kinds[k]);
    }
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_false(detects(w, texts[k], &kind));
    bool found = true;
    assert_int_equal(psdvec_test_detect(w->ctx, w->folder, &found, &kind), PSDVEC_OK);
    assert_false(found);
}

/* ---- Choices, categories --------------------------------------------------------------------- */

static void choices_begin_with_the_right_one(void **state)
{
    workshop *w = *state;
    static const char *const forms[] = {
        "enormous | huge | sad | late\nquick | fast | blue | tall\n",
        "enormous\thuge\tsad\tlate\told\nquick\tfast\tblue\ttall\tred\n",
        "enormous huge sad late old\nquick fast blue tall red\n",
    };
    for (int k = 0; k < 3; k++) {
        psdvec_test *t = read_text(w, forms[k]);
        const pv_question *q = &t->questions[1];
        assert_int_equal(t->info.kind, PSDVEC_TEST_CHOICE);
        assert_int_equal(t->info.questions, 2);
        assert_int_equal(q->listed, k == 0 ? 3 : 4);
        assert_word(t, q->words[0], "quick");
        assert_word(t, t->lists[q->list], "fast");
        assert_word(t, t->lists[q->list + 2], "tall");
        psdvec_test_close(t);
    }
}

static void words_with_few_categories_are_not_pairs(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "cat\tanimal\ndog\tanimal\ncar\tvehicle\nbus\tvehicle\n");
    assert_int_equal(t->info.kind, PSDVEC_TEST_CATEGORIES);
    assert_int_equal(t->categories, 2);
    assert_int_equal(t->words, 4);
    assert_int_equal(t->questions[0].category, t->questions[1].category);
    assert_true(t->questions[1].category != t->questions[2].category);
    psdvec_test_close(t);
}

/* ---- Halves ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const psdvec_test *t, const char *word)
{
    for (uint32_t q = 0; q < t->info.questions; q++) {
        uint32_t number = t->questions[q].words[0];
        size_t length = (size_t)(t->offsets[number + 1] - t->offsets[number]);
        if (length == strlen(word) && memcmp(t->bytes + t->offsets[number], word, length) == 0)
            return t->questions[q].hash;
    }
    fail_msg("no question begins with %s", word);
    return 0;
}

static void a_question_keeps_its_half_in_any_order_and_case(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "\xc3\x89t\xc3\xa9 b 1\nc d 2\ne f 3\n");
    psdvec_test *other = read_text(w, "E;F;9\n\xc3\xa9t\xc3\xa9;B;7\nc;d;2\n");
    assert_true(hash_of(t, "\xc3\x89t\xc3\xa9") == hash_of(other, "\xc3\xa9t\xc3\xa9"));
    assert_true(hash_of(t, "c") == hash_of(other, "c"));
    assert_true(hash_of(t, "e") == hash_of(other, "E"));
    assert_true(hash_of(t, "e") != hash_of(t, "c"));
    psdvec_test_close(t);
    psdvec_test_close(other);
}

/* A fixed value: the half that a question belongs to must not change between versions. */
static void the_hash_of_a_question_is_fixed(void **state)
{
    workshop *w = *state;
    psdvec_test *t = read_text(w, "King queen 1\nman woman 2\n");
    assert_true(t->questions[0].hash == UINT64_C(0xbf4398458f6f9143));
    psdvec_test_close(t);
}

/* ---- Names, built-in sets -------------------------------------------------------------------- */

static void the_name_is_that_of_the_file_without_its_ending(void **state)
{
    workshop *w = *state;
    static const char *const names[][2] = {{"SimLex-999.txt", "SimLex-999"},
                                           {"MEN_v1.2", "MEN_v1.2"},
                                           {"plain", "plain"},
                                           {".x", ".x"}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char *path = scratch_path(w->folder, names[k][0]);
        psdvec_test *t;
        scratch_write(path, "a b 1\n", 6);
        assert_int_equal(psdvec_test_open(w->ctx, path, &t), PSDVEC_OK);
        assert_string_equal(t->info.name, names[k][1]);
        assert_false(t->info.builtin);
        psdvec_test_close(t);
        free(path);
    }
}

static void every_builtin_set_can_be_read(void **state)
{
    workshop *w = *state;
    psdvec_test *t;
    size_t count = psdvec_test_builtin_count();
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        if (psdvec_test_builtin(w->ctx, i, &t) != PSDVEC_OK)
            fail_msg("%s", psdvec_error_message(w->ctx));
        assert_string_equal(psdvec_test_get_info(t)->name, pv_builtin_sets[i].name);
        assert_true(psdvec_test_get_info(t)->builtin && t->info.questions > 0);
        psdvec_test_close(t);
    }
    assert_int_equal(psdvec_test_builtin(w->ctx, count, &t), PSDVEC_ERR_OPTION);
    assert_null(t);
}

/* ---- Errors in files ------------------------------------------------------------------------- */

static void an_invalid_line_is_reported_with_what_was_expected(void **state)
{
    workshop *w = *state;
    assert_refused(w, "a b 1\nc d 2\nc d\ne f 3\n", PSDVEC_ERR_DAMAGED,
                   "line 3: two words and a number are expected, but the line has 2 fields");
    assert_refused(w, "a b 1\n\nc d 2x\ne f 3\n", PSDVEC_ERR_DAMAGED,
                   "line 3: two words and a number are expected, but '2x' is not a number");
    assert_refused(w, "a b 1\nc d nan\ne f 3\n", PSDVEC_ERR_DAMAGED, "'nan' is not a number");
    assert_refused(w, "a,b,1\n,d,2\ne,f,3\n", PSDVEC_ERR_DAMAGED, "line 2: field 1 is empty");
    assert_refused(w, ": x\na b c d\na b c\ne f g h\n", PSDVEC_ERR_DAMAGED,
                   "line 3: four words are expected, but the line has 3 fields");
    assert_refused(w, ":\na b c d\n", PSDVEC_ERR_DAMAGED, "line 1: the name of a section");
    assert_refused(w, "a | b | c\nd | e\nf | g | h\n", PSDVEC_ERR_DAMAGED,
                   "line 2: a word, the right choice and other choices are expected");
    assert_refused(w, "a\tx\nb\tx\nc\tx\ty\nd\tx\n", PSDVEC_ERR_DAMAGED,
                   "line 3: a word and its category are expected, but the line has 3 fields");
    assert_refused(w, "a\tb/c\nd\te/f\ng\t//\n", PSDVEC_ERR_DAMAGED,
                   "line 3: a word and its answers");
    assert_refused(w, "\"a,b,1\nc,d,2\n", PSDVEC_ERR_DAMAGED,
                   "line 1: a quotation mark is not closed");
    assert_refused(w, "\"a\"x,b,1\nc,d,2\n", PSDVEC_ERR_DAMAGED, "line 1: a quoted field");
}

static void other_files_are_refused(void **state)
{
    workshop *w = *state;
    psdvec_test *t;
    assert_refused(w, "", PSDVEC_ERR_EMPTY, "no questions");
    assert_refused(w, "\n# only\n : x\n", PSDVEC_ERR_EMPTY, "no questions");
    assert_refused(w, "one\ntwo\nthree\n", PSDVEC_ERR_FORMAT, "not recognised");
    assert_refused(w, "This is a text.\nIt has lines, of no fixed length at all.\nYes.\n",
                   PSDVEC_ERR_FORMAT, "not recognised");
    assert_refused(w, "a b 1\nc \xff 2\n", PSDVEC_ERR_NOT_TEXT, "line 2: is not valid UTF-8");
    assert_refused(w, "cat\tcats\ncat\tcat\n", PSDVEC_ERR_EMPTY, "no questions");
    scratch_write(w->in, "a b 1\n\0 b 2\n", 12);
    assert_int_equal(psdvec_test_open(w->ctx, w->in, &t), PSDVEC_ERR_NOT_TEXT);
    char *none = scratch_path(w->folder, "none");
    assert_int_equal(psdvec_test_open(w->ctx, none, &t), PSDVEC_ERR_NOT_FOUND);
    free(none);
}

static void word_pairs_without_end_are_refused(void **state)
{
    workshop *w = *state;
    pv_buffer text;
    psdvec_test *t;
    workshop_context(w, UINT64_C(4) << 30, 2);
    pv_buffer_init(&text, w->ctx);
    for (int k = 0; k < 5000; k++)
        assert_int_equal(pv_buffer_printf(&text, "w%d\tx%d\n", k, k), PSDVEC_OK);
    scratch_write(w->in, text.data, text.length);
    pv_buffer_free(&text);
    assert_int_equal(psdvec_test_open(w->ctx, w->in, &t), PSDVEC_ERR_OVERFLOW);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "divide it"));
}

static void memory_that_is_too_small_is_a_clean_failure(void **state)
{
    workshop *w = *state;
    psdvec_test *t;
    pv_buffer text;
    pv_buffer_init(&text, w->ctx);
    for (int k = 0; k < 2000; k++)
        assert_int_equal(pv_buffer_printf(&text, "w%d x%d %d\n", k, k / 2, k), PSDVEC_OK);
    scratch_write(w->in, text.data, text.length);
    pv_buffer_free(&text);
    bool fitted = false;
    for (uint64_t memory = 4096; !fitted && memory < UINT64_C(64) << 20; memory *= 2) {
        w->ctx->options.memory = memory;
        psdvec_status status = psdvec_test_open(w->ctx, w->in, &t);
        fitted = status == PSDVEC_OK;
        assert_true(fitted || (status == PSDVEC_ERR_BUDGET && !t));
        psdvec_test_close(t);
        assert_true(atomic_load(&w->ctx->memory_used) == 0);
    }
    assert_true(fitted);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(pairs_are_read_in_all_common_formats),
        TEST(quotes_may_hold_the_separator_and_quotes),
        TEST(one_line_below_a_header_is_enough),
        TEST(a_hyphen_is_no_part_of_speech_unless_all_words_have_one),
        TEST(equal_words_are_kept_once),
        TEST(analogies_have_sections_and_empty_ones_are_dropped),
        TEST(a_tag_makes_sections_wherever_its_column_is),
        TEST(word_pairs_are_combined_into_analogies),
        TEST(every_file_of_a_folder_is_a_set),
        TEST(a_folder_of_word_pairs_is_one_set),
        TEST(categories_stay_apart_from_word_pairs),
        TEST(a_cycle_of_links_repeats_no_sets),
        TEST(test_sets_are_distinguished_from_text),
        TEST(choices_begin_with_the_right_one),
        TEST(words_with_few_categories_are_not_pairs),
        TEST(a_question_keeps_its_half_in_any_order_and_case),
        TEST(the_hash_of_a_question_is_fixed),
        TEST(the_name_is_that_of_the_file_without_its_ending),
        TEST(every_builtin_set_can_be_read),
        TEST(an_invalid_line_is_reported_with_what_was_expected),
        TEST(other_files_are_refused),
        TEST(word_pairs_without_end_are_refused),
        TEST(memory_that_is_too_small_is_a_clean_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
