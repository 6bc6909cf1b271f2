/* Traversal of folders: its order, what it skips, and how it is stopped. */
#include "support/scratch.h"
#include "util/walk.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/*  folder/  b.txt  a/  .hidden  gone -> nothing
 *           a/c.txt  a/back -> ..  a/d/e.txt  a-b */
static int set_up(void **state)
{
    static const char *const folders[] = {"a", "a/d"};
    static const char *const files[] = {"b.txt", ".hidden", "a/c.txt", "a/d/e.txt", "a-b"};
    char *folder = scratch_new();
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char *path = scratch_path(folder, folders[k]);
        assert_int_equal(mkdir(path, 0700), 0);
        free(path);
    }
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *path = scratch_path(folder, files[k]);
        scratch_write(path, "text", 4);
        free(path);
    }
    char *back = scratch_path(folder, "a/back"), *gone = scratch_path(folder, "gone");
    assert_int_equal(symlink("..", back), 0);
    assert_int_equal(symlink("nothing", gone), 0);
    free(back);
    free(gone);
    *state = folder;
    return 0;
}

static int tear_down(void **state)
{
    scratch_free(*state);
    return 0;
}

typedef struct log {
    char text[1000];
    const char *pass, *stop; /* inner paths */
} log;

static int note(void *user, const pv_walk_entry *entry)
{
    log *l = user;
    size_t used = strlen(l->text);
    bool folder = entry->info && S_ISDIR(entry->info->st_mode);
    assert_true(entry->info || entry->error);
    snprintf(l->text + used, sizeof l->text - used, "%s%s%s ", entry->inner, folder ? "/" : "",
             entry->error == ELOOP    ? "(back)"
             : entry->error == ENOENT ? "(none)"
             : entry->error           ? "(bad)"
                                      : "");
    if (l->stop && !strcmp(entry->inner, l->stop))
        return 7;
    return l->pass && !strcmp(entry->inner, l->pass) ? PV_WALK_PASS : 0;
}

static void names_are_in_order(void **state)
{
    log l = {0};
    assert_int_equal(pv_walk(*state, note, &l), 0);
    assert_string_equal(l.text,
                        "/ /a/ /a/back/(back) /a/c.txt /a/d/ /a/d/e.txt /a-b /b.txt /gone(none) ");
}

static void a_slash_at_the_end_changes_nothing(void **state)
{
    log l = {.pass = "/a"};
    char *path = scratch_path(*state, "");
    assert_int_equal(pv_walk(path, note, &l), 0);
    assert_string_equal(l.text, "/ /a/ /a-b /b.txt /gone(none) ");
    free(path);
}

static void a_traversal_can_be_stopped(void **state)
{
    log l = {.stop = "/a/d/e.txt"};
    assert_int_equal(pv_walk(*state, note, &l), 7);
    assert_string_equal(l.text, "/ /a/ /a/back/(back) /a/c.txt /a/d/ /a/d/e.txt ");
}

static void a_folder_can_be_skipped(void **state)
{
    log l = {.pass = ""};
    assert_int_equal(pv_walk(*state, note, &l), 0);
    assert_string_equal(l.text, "/ ");
}

static void a_file_is_a_traversal_of_one_step(void **state)
{
    log l = {0};
    char *file = scratch_path(*state, "b.txt"), *none = scratch_path(*state, "none");
    assert_int_equal(pv_walk(file, note, &l), 0);
    assert_int_equal(pv_walk(none, note, &l), 0);
    assert_string_equal(l.text, " (none) ");
    free(file);
    free(none);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(names_are_in_order),
        TEST(a_slash_at_the_end_changes_nothing),
        TEST(a_traversal_can_be_stopped),
        TEST(a_folder_can_be_skipped),
        TEST(a_file_is_a_traversal_of_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
