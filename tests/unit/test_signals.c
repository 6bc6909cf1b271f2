/* The program's reaction to signals that stop it (cli/system.c), in a child process that never
 * looks whether it should stop. */
#include "../../cli/system.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

/* Reports on `ready` that the signals are handled, and once more that one was caught. */
static void __attribute__((noreturn)) run_busy_program(int ready)
{
    alarm(20); /* ends it if the signals do not */
    signals_start();
    (void)!write(ready, "s", 1);
    while (!signals_caught())
        usleep(1000);
    (void)!write(ready, "c", 1);
    for (;;)
        usleep(1000);
}

/* The wait status of a busy program that gets two signals. */
static int status_after(int first, int second)
{
    int ends[2], status = 0;
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_busy_program(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, first);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, second);
    if (second == SIGHUP) {
        usleep(50000);
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
        kill(child, SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    return status;
}

static void a_second_signal_ends_a_busy_program(void **state)
{
    (void)state;
    static const int pairs[][2] = {{SIGINT, SIGINT},
                                   {SIGTERM, SIGTERM},
                                   {SIGINT, SIGTERM},
                                   {SIGTERM, SIGINT},
                                   {SIGHUP, SIGTERM}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        int status = status_after(pairs[k][0], pairs[k][1]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 128 + pairs[k][1]);
    }
}

/* A service manager sends SIGHUP right after SIGTERM. */
static void a_hangup_does_not_interrupt_the_cleaning_up(void **state)
{
    (void)state;
    int status = status_after(SIGTERM, SIGHUP);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_signal_ends_a_busy_program),
        cmocka_unit_test(a_hangup_does_not_interrupt_the_cleaning_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
