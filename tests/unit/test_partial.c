/* The folder of an interrupted run, from which it continues. */
#include "base/file.h"
#include "base/partial.h"
#include "base/platform.h"
#include "support/scratch.h"
#include "support/workbench.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pv_partial *must_open(bench *b, const char *key, bool restart)
{
    pv_partial *p;
    pv_begin(b->ctx);
    ok(pv_partial_open(b->ctx, b->output, key, restart, &p));
    return p;
}

/* A state of `count` numbers that start at `first`. */
static void save(pv_partial *p, const char *name, float first, size_t count)
{
    float *numbers = calloc(count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = first + (float)i;
    pv_tensor tensor = {
        .name = "V", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {count}, .data = numbers};
    ok(pv_partial_save(p, name, &tensor, 1));
    free(numbers);
}

/* The first number of the state; -1 if there is none. */
static float first_number(pv_partial *p, const char *name)
{
    pv_st_file *file;
    ok(pv_partial_load(p, name, &file));
    if (!file)
        return -1;
    float first = *(const float *)pv_st_tensor(file, "V")->data;
    pv_st_close(file);
    return first;
}

static void a_state_is_available_to_the_next_run(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == -1);
    save(p, "solve", 1, 1000);
    save(p, "solve", 2, 1000);
    save(p, "block-7", 5, 0 + 1);
    assert_true(first_number(p, "solve") == 2);
    pv_partial_close(p, false);

    p = must_open(b, "work", false);
    assert_non_null(strstr(b->messages[PSDVEC_NOTE], "resuming the interrupted run"));
    assert_true(first_number(p, "solve") == 2);
    assert_true(first_number(p, "block-7") == 5);
    pv_st_file *file; /* remains valid after the folder is closed */
    ok(pv_partial_load(p, "solve", &file));
    pv_partial_close(p, true);
    assert_int_not_equal(access(b->partial, F_OK), 0);
    assert_true(((const float *)pv_st_tensor(file, "V")->data)[999] == 1001);
    pv_st_close(file);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
}

static void a_folder_without_a_state_is_removed(void **state)
{
    bench *b = *state;
    pv_partial_close(must_open(b, "work", false), false);
    assert_int_not_equal(access(b->partial, F_OK), 0);
    pv_partial_close(NULL, true);
}

static void another_key_starts_over_with_a_warning(void **state)
{
    bench *b = *state;
    static const char *const others[] = {"work!", "wor", "Work", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        pv_partial *p = must_open(b, "work", false);
        save(p, "solve", 1, 10);
        pv_partial_close(p, false);
        b->message_count[PSDVEC_WARNING] = 0;
        p = must_open(b, others[i], false);
        assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
        assert_non_null(strstr(b->messages[PSDVEC_WARNING],
                               "found there: its settings or its input were different"));
        assert_true(first_number(p, "solve") == -1);
        pv_partial_close(p, true);
    }
}

static void states_of_incompatible_versions_are_not_used(void **state)
{
    bench *b = *state;
    static const char *const headings[] = {"psdvec interrupted run, format 0, version 0.2.0\n",
                                           "psdvec interrupted run, format 1, version 0.1.0\n",
                                           "psdvec interrupted run, format 1, version 0.0.1\n",
                                           "psdvec interrupted run, format 1, version 10.11.12\n",
                                           "psdvec interrupted run, "};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        pv_partial *p = must_open(b, "work", false);
        save(p, "solve", 1, 10);
        pv_partial_close(p, false);
        char *path = scratch_path(b->partial, "key"), key[100];
        int length = snprintf(key, sizeof key, "%swork", headings[i]);
        scratch_write(path, key, (size_t)length);
        free(path);
        b->message_count[PSDVEC_WARNING] = 0;
        p = must_open(b, "work", false);
        assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
        assert_non_null(strstr(b->messages[PSDVEC_WARNING],
                               "found there: it was made by another version of psdvec"));
        assert_true(first_number(p, "solve") == -1);
        pv_partial_close(p, true);
    }
}

/* The first line is the same in all versions since 0.2.0 whose results are the same. */
static void states_of_version_0_2_0_are_used(void **state)
{
    bench *b = *state;
    static const char key[] = "psdvec interrupted run, format 1, version 0.2.0\nwork";
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pv_partial_close(p, false);
    char *path = scratch_path(b->partial, "key");
    scratch_write(path, key, sizeof key - 1);
    free(path);
    p = must_open(b, "work", false);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, true);
}

static void restart_removes_states(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pv_partial_close(p, false);
    p = must_open(b, "work", true);
    assert_true(first_number(p, "solve") == -1);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    pv_partial_close(p, true);
}

static void a_truncated_or_damaged_state_counts_as_absent(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 1000);
    char *path, *whole;
    size_t length;
    ok(pv_partial_path(p, "solve", &path));
    whole = scratch_read(path, &length);
    assert_non_null(whole);
    int warnings = 0;
    for (size_t cut = 0; cut < length; cut += cut < 40 ? 1 : 211) {
        scratch_write(path, whole, cut);
        assert_true(first_number(p, "solve") == -1);
        assert_int_equal(b->message_count[PSDVEC_WARNING], ++warnings);
    }
    assert_non_null(strstr(b->messages[PSDVEC_WARNING], "not used: "));
    dice d = {5};
    for (int round = 0; round < 200; round++) {
        size_t at = dice_below(&d, length);
        char before = whole[at];
        whole[at] = (char)(before ^ (1 << dice_below(&d, 8)));
        scratch_write(path, whole, length);
        float first = first_number(p, "solve");
        /* Spaces that pad the header are not covered by a checksum: they have no meaning. */
        assert_true(first == -1 || (first == 1 && before == ' '));
        whole[at] = before;
    }
    /* Some file systems leave a file of zeros after a power failure. */
    memset(whole, 0, length);
    scratch_write(path, whole, length);
    assert_true(first_number(p, "solve") == -1);
    save(p, "solve", 3, 1000);
    assert_true(first_number(p, "solve") == 3);
    free(path);
    free(whole);
    pv_partial_close(p, true);
}

static void a_folder_that_another_process_uses_is_refused(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pv_partial *second;
        psdvec_status status = pv_partial_open(b->ctx, b->output, "work", true, &second);
        bool told = strstr(psdvec_error_message(b->ctx), "another run is writing") != NULL;
        _exit(status == PSDVEC_ERR_WRITE && told ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(first_number(p, "solve") == 1); /* the other run removed nothing */
    pv_partial_close(p, true);
}

static void a_folder_in_use_is_refused(void **state)
{
    bench *b = *state;
#if PV_PORTABLE
    skip(); /* POSIX locks belong to a process */
#endif
    pv_partial *p = must_open(b, "work", false), *second;
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", true, &second), PSDVEC_ERR_WRITE);
    assert_null(second);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "another run is writing this output"));
    save(p, "solve", 1, 10); /* the second run removed nothing */
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_open(b->ctx, b->output, "other", false, &second), PSDVEC_ERR_WRITE);
    pv_begin(b->ctx);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, false);
    p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, true);
}

static void a_dead_process_leaves_its_states_and_no_lock(void **state)
{
    bench *b = *state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        pv_partial *p;
        if (pv_partial_open(b->ctx, b->output, "work", false, &p) != PSDVEC_OK)
            _exit(1);
        float number = 4;
        pv_tensor tensor = {
            .name = "V", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {1}, .data = &number};
        if (pv_partial_save(p, "solve", &tensor, 1) != PSDVEC_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    pv_partial *p;
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", false, &p), PSDVEC_ERR_WRITE);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == 4);
    pv_partial_close(p, true);
}

static void other_files_are_kept(void **state)
{
    bench *b = *state;
    char *treasure = scratch_path(b->folder, "treasure");
    scratch_write(treasure, "gold", 4);
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    char *notes = scratch_path(b->partial, "notes.txt");
    char *link = scratch_path(b->partial, "link.safetensors");
    char *inner = scratch_path(b->partial, "folder.safetensors");
    char *stale = scratch_path(b->partial, ".solve.safetensors.psdvec-1-0");
    scratch_write(notes, "mine", 4);
    scratch_write(stale, "half", 4);
    assert_int_equal(symlink(treasure, link), 0);
    assert_int_equal(mkdir(inner, 0777), 0);
    /* Neither read nor written through the link; there is a warning instead. */
    assert_true(first_number(p, "link") == -1);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    save(p, "link", 1, 10);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
    pv_partial_close(p, false);

    p = must_open(b, "other work", false);
    assert_int_not_equal(access(stale, F_OK), 0);
    pv_partial_close(p, true);
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_int_equal(access(inner, F_OK), 0);
    assert_int_equal(access(notes, F_OK), 0);
    size_t length;
    char *gold = scratch_read(treasure, &length);
    assert_string_equal(gold, "gold");
    assert_non_null(strstr(b->messages[PSDVEC_NOTE], "did not create"));
    assert_int_equal(scratch_entries(b->partial), 3);
    free(gold);
    free(treasure);
    free(notes);
    free(link);
    free(inner);
    free(stale);
}

static void refuses(bench *b, const char *words)
{
    pv_partial *p;
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", true, &p), PSDVEC_ERR_WRITE);
    assert_null(p);
    assert_non_null(strstr(psdvec_error_message(b->ctx), words));
}

static void another_folder_is_refused_unchanged(void **state)
{
    bench *b = *state;
    char *treasure = scratch_path(b->folder, "treasure");
    char *own = scratch_path(b->partial, "own.safetensors");
    char *key = scratch_path(b->partial, "key");
    char *lock = scratch_path(b->partial, "lock");
    scratch_write(b->partial, "a file", 6);
    refuses(b, "is not a folder");
    unlink(b->partial);
    assert_int_equal(mkdir(treasure, 0777), 0);
    assert_int_equal(symlink(treasure, b->partial), 0);
    refuses(b, "is not a folder");
    assert_int_equal(scratch_entries(treasure), 0);
    unlink(b->partial);

    assert_int_equal(mkdir(b->partial, 0777), 0);
    scratch_write(own, "dear", 4);
    refuses(b, "was not created by psdvec");
    assert_int_equal(scratch_entries(b->partial), 1);
    scratch_write(key, "the key of my house, which is long enough", 41);
    refuses(b, "was not created by psdvec");
    assert_int_equal(scratch_entries(b->partial), 2);
    unlink(own);
    refuses(b, "was not created by psdvec");
    unlink(key);
    scratch_write(lock, "Yale", 4);
    refuses(b, "its lock file was not created by psdvec");
    unlink(lock);
    assert_int_equal(symlink("nowhere", lock), 0);
    refuses(b, "its lock file is a link");
    unlink(lock);
    assert_int_equal(scratch_entries(b->partial), 0);

    free(b->output);
    b->output = scratch_path(b->folder, "nosuch/out");
    refuses(b, "create the folder first");
    free(treasure);
    free(own);
    free(key);
    free(lock);
}

static void a_full_disk_is_reported_once_and_does_not_end_the_run(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    save(p, "solve", 2, 100000);
    save(p, "solve", 3, 100000);
    save(p, "other", 3, 10);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
    assert_non_null(strstr(b->messages[PSDVEC_WARNING], "can no longer be saved"));
    assert_int_equal(atomic_load(&b->ctx->status), PSDVEC_OK);
    save(p, "solve", 4, 10); /* not retried */
    assert_true(first_number(p, "solve") == 1);
    assert_true(first_number(p, "other") == -1);
    assert_int_equal(scratch_entries(b->partial), 3); /* key, lock, solve: no partly written file */
    pv_partial_close(p, true);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void a_state_is_saved_even_when_cancelled(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    b->ctx->options.should_cancel = always;
    save(p, "solve", 6, 10);
    pv_st_file *file;
    assert_int_equal(pv_partial_load(p, "solve", &file), PSDVEC_ERR_CANCELLED);
    assert_null(file);
    b->ctx->options.should_cancel = NULL;
    pv_begin(b->ctx);
    assert_true(first_number(p, "solve") == 6);
    pv_partial_close(p, true);
}

static void defects_of_the_caller_are_not_hidden(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    static const char *const names[] = {"", ".hidden", "../up", "a/b", "a b"};
    char *path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pv_begin(b->ctx);
        assert_int_equal(pv_partial_path(p, names[i], &path), PSDVEC_ERR_INTERNAL);
        assert_null(path);
    }
    float number = 1;
    pv_tensor tensor = {
        .name = "no good name", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {1}, .data = &number};
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_save(p, "solve", &tensor, 1), PSDVEC_ERR_INTERNAL);
    pv_partial_close(p, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_state_is_available_to_the_next_run),
        TEST(a_folder_without_a_state_is_removed),
        TEST(another_key_starts_over_with_a_warning),
        TEST(states_of_incompatible_versions_are_not_used),
        TEST(states_of_version_0_2_0_are_used),
        TEST(restart_removes_states),
        TEST(a_truncated_or_damaged_state_counts_as_absent),
        TEST(a_folder_that_another_process_uses_is_refused),
        TEST(a_folder_in_use_is_refused),
        TEST(a_dead_process_leaves_its_states_and_no_lock),
        TEST(other_files_are_kept),
        TEST(another_folder_is_refused_unchanged),
        TEST(a_full_disk_is_reported_once_and_does_not_end_the_run),
        TEST(a_state_is_saved_even_when_cancelled),
        TEST(defects_of_the_caller_are_not_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
