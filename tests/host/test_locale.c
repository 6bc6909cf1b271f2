/* A program that has set a locale gets the same files, numbers and messages as one that has not. */
#include "host/tour.h"
#include "support/locales.h"
#include "support/scratch.h"

#include <dirent.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Always in the same folder, whose name is in the files, which is then renamed. */
static void run(const char *folder, const char *moved)
{
    assert_int_equal(mkdir(folder, 0700), 0);
    char *failure = tour_run(folder, 2);
    assert_string_equal(failure, "");
    free(failure);
    assert_int_equal(rename(folder, moved), 0);
}

/* The number of files; they must be equal in both folders. */
static size_t compare(const char *a, const char *b)
{
    DIR *list = opendir(a);
    assert_non_null(list);
    size_t files = 0;
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        if (entry->d_name[0] == '.')
            continue;
        char *in_a = scratch_path(a, entry->d_name), *in_b = scratch_path(b, entry->d_name);
        struct stat info;
        assert_int_equal(stat(in_a, &info), 0);
        if (S_ISDIR(info.st_mode)) {
            files += compare(in_a, in_b);
        } else {
            size_t m, n;
            char *first = scratch_read(in_a, &m), *second = scratch_read(in_b, &n);
            if (!first || !second || m != n || memcmp(first, second, m) != 0)
                fail_msg("%s depends on the locale", entry->d_name);
            free(first);
            free(second);
            files++;
        }
        free(in_a);
        free(in_b);
    }
    closedir(list);
    return files;
}

static void every_file_is_the_same(const char *(*find)(const char *), const char *lacking)
{
    char *home = scratch_new();
    char *locales = scratch_path(home, "locales"), *here = scratch_path(home, "here");
    char *plain = scratch_path(home, "plain"), *strange = scratch_path(home, "strange");
    assert_int_equal(mkdir(locales, 0700), 0);
    run(here, plain);
    const char *name = find(locales);
    if (name) {
        char number[10];
        assert_non_null(setlocale(LC_ALL, name));
        snprintf(number, sizeof number, "%.1f", 0.5);
        run(here, strange);
        setlocale(LC_ALL, "C");
        assert_string_equal(number, "0,5"); /* Turkish has a comma, too */
        assert_true(compare(plain, strange) > 25);
    } else {
        print_message("%s\n", lacking);
    }
    free(locales);
    free(here);
    free(plain);
    free(strange);
    scratch_free(home);
    if (!name)
        skip();
}

static void decimal_commas_change_nothing(void **state)
{
    (void)state;
    every_file_is_the_same(locale_with_comma, "no locale with a decimal comma can be made");
}

static void turkish_letters_change_nothing(void **state)
{
    (void)state;
    every_file_is_the_same(locale_of_turkish, "no Turkish locale can be made");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_commas_change_nothing),
        cmocka_unit_test(turkish_letters_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
