/* The effects of the library on the process that uses it: the state of the process before, during
 * and after. This program is linked with the shared library and with a separate OpenBLAS. */
#include "host/tour.h"
#include "support/scratch.h"

#include <cblas.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

/* For functions that replace those of other libraries. */
#define VISIBLE __attribute__((visibility("default")))

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif

#ifdef THREAD_SANITIZER
/* The program's OpenBLAS is not built for the thread sanitizer, which reports its synchronisation
 * as a race. */
VISIBLE const char *__tsan_default_suppressions(void);
__attribute__((no_sanitize_thread)) const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libopenblas.so\nrace:libopenblas.so\n";
}
#endif

/* ---- Fork handlers: the registration of the C library is replaced by a recording one --------- */

#ifndef THREAD_SANITIZER /* which installs its own handlers, and too early */
static int handlers_of_the_library;

VISIBLE int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                              void *owner);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *owner)
{
    Dl_info info;
    (void)prepare;
    (void)parent;
    (void)child;
    if (owner && dladdr(owner, &info) && info.dli_fname && strstr(info.dli_fname, "libpsdvec"))
        handlers_of_the_library++;
    return 0;
}
#endif

/* ---- OpenBLAS -------------------------------------------------------------------------------- */

enum { SIDE = 300, HOST_THREADS = 2 };

typedef struct training {
    const char *folder;
    atomic_bool stop;
    atomic_int finished; /* times */
    psdvec_status status;
    char message[500];
} training;

static void *train_until_stopped(void *arg)
{
    training *t = arg;
    psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 3;
    options.memory = UINT64_C(1) << 30;
    t->status = psdvec_context_new(&options, &ctx);
    if (t->status == PSDVEC_OK) {
        do {
            t->status = tour_train(ctx, t->folder, "model");
            atomic_fetch_add(&t->finished, 1);
        } while (t->status == PSDVEC_OK && !atomic_load(&t->stop));
        snprintf(t->message, sizeof t->message, "%s", psdvec_error_message(ctx));
    }
    psdvec_context_free(ctx);
    return NULL;
}

static void multiply(const float *a, float *product)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, SIDE, 1, a, SIDE, a, SIDE, 0,
                product, SIDE);
}

static void the_programs_openblas_keeps_its_threads(void **state)
{
    const char *folder = *state;
    if (openblas_get_parallel() == 0) {
        print_message("the system's OpenBLAS has no threads\n");
        skip();
    }
    float *a = malloc(SIDE * SIDE * sizeof *a), *expected = malloc(SIDE * SIDE * sizeof *a),
          *product = malloc(SIDE * SIDE * sizeof *a);
    assert_true(a && expected && product);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        a[i] = (float)(i * 377 % 1021) / 1021 - 0.5f;
    openblas_set_num_threads(HOST_THREADS);
    assert_int_equal(openblas_get_num_threads(), HOST_THREADS); /* before */
    multiply(a, expected);

    tour_text(folder, 12000);
    training t = {.folder = folder};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, train_until_stopped, &t), 0);
    int others = 0, wrong = 0;
    for (int round = 0; round < 200 || atomic_load(&t.finished) < 2; round++) {
        multiply(a, product);
        wrong += memcmp(product, expected, SIDE * SIDE * sizeof *a) != 0;
        for (int sample = 0; sample < 500; sample++)
            others += openblas_get_num_threads() != HOST_THREADS;
    }
    atomic_store(&t.stop, true);
    pthread_join(thread, NULL);
    if (t.status != PSDVEC_OK)
        fail_msg("%s", t.message);
    assert_int_equal(openblas_get_num_threads(), HOST_THREADS); /* after */
#ifdef PV_BLAS_PRIVATE
    assert_int_equal(others, 0); /* during */
    assert_int_equal(wrong, 0);
#else
    print_message("with a shared OpenBLAS the host saw another number %d times\n", others);
#endif
    free(a);
    free(expected);
    free(product);
}

/* ---- The rest of the process ----------------------------------------------------------------- */

enum { SIGNALS = 65, NAMES = 4096 };

typedef struct process {
    void (*handlers[SIGNALS])(int);
    int flags[SIGNALS];
    bool blocked[SIGNALS];
    mode_t mask;
    char locale[1000], folder[4096];
    char **environment;
    char variables[1 << 16];
    int rounding, exceptions, priority;
    cpu_set_t cores;
    struct rlimit limits[RLIM_NLIMITS];
    int line_buffered, buffer_size;
    size_t files, threads;
} process;

static size_t entries(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    size_t count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void look(process *p)
{
    memset(p, 0, sizeof *p);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    for (int i = 1; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0) {
            p->handlers[i] = action.sa_handler;
            p->flags[i] = action.sa_flags;
        }
        p->blocked[i] = sigismember(&blocked, i) == 1;
    }
    p->mask = umask(0);
    umask(p->mask);
    snprintf(p->locale, sizeof p->locale, "%s", setlocale(LC_ALL, NULL));
    assert_non_null(getcwd(p->folder, sizeof p->folder));
    p->environment = environ;
    size_t used = 0;
    for (char **e = environ; *e; e++)
        used += (size_t)snprintf(p->variables + used, sizeof p->variables - used, "%s\n", *e);
    assert_true(used < sizeof p->variables);
    p->rounding = fegetround();
    p->exceptions = fegetexcept();
    p->priority = getpriority(PRIO_PROCESS, 0);
    sched_getaffinity(0, sizeof p->cores, &p->cores);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        (void)getrlimit((__rlimit_resource_t)i, &p->limits[i]);
    p->line_buffered = __flbf(stdout) | __flbf(stderr) << 1 | __flbf(stdin) << 2;
    p->buffer_size = (int)(__fbufsize(stdout) + __fbufsize(stderr) + __fbufsize(stdin));
    p->files = entries("/proc/self/fd");
    p->threads = entries("/proc/self/task");
}

static void the_process_is_left_unchanged(void **state)
{
    const char *folder = *state;
    static process before, after;
    /* Output is redirected to a file, which must stay empty. */
    char *printed = scratch_path(folder, "printed");
    int to = open(printed, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fflush(stdout);
    fflush(stderr);
    int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
    assert_true(to >= 0 && out >= 0 && error >= 0);
    umask(027);
    look(&before);
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    char *failure = tour_run(folder, 3);
    fflush(stdout);
    fflush(stderr);
    off_t bytes = lseek(to, 0, SEEK_END);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    look(&after);
    close(out);
    close(error);
    close(to);
    free(printed);
    assert_string_equal(failure, "");
    free(failure);
    assert_int_equal(bytes, 0);
    assert_memory_equal(before.handlers, after.handlers, sizeof before.handlers);
    assert_memory_equal(before.flags, after.flags, sizeof before.flags);
    assert_memory_equal(before.blocked, after.blocked, sizeof before.blocked);
    assert_int_equal(before.mask, after.mask);
    assert_string_equal(before.locale, after.locale);
    assert_string_equal(before.folder, after.folder);
    assert_ptr_equal(before.environment, after.environment);
    assert_string_equal(before.variables, after.variables);
    assert_int_equal(before.rounding, after.rounding);
    assert_int_equal(before.exceptions, after.exceptions);
    assert_int_equal(before.priority, after.priority);
    assert_memory_equal(&before.cores, &after.cores, sizeof before.cores);
    assert_memory_equal(before.limits, after.limits, sizeof before.limits);
    assert_int_equal(before.line_buffered, after.line_buffered);
    assert_int_equal(before.buffer_size, after.buffer_size);
    assert_int_equal(before.files, after.files);
    assert_int_equal(before.threads, after.threads);
}

static void no_fork_handler_is_installed(void **state)
{
    (void)state;
#ifdef THREAD_SANITIZER
    skip();
#else
    void *version = dlsym(RTLD_DEFAULT, "psdvec_version");
    assert_non_null(version);
    int before = handlers_of_the_library;
    /* Checks that the replacement works: the libraries find it, and it records. */
    void *found = dlsym(RTLD_DEFAULT, "__register_atfork");
    int (*replacement)(void (*)(void), void (*)(void), void (*)(void), void *) = __register_atfork;
    assert_memory_equal(&found, &replacement, sizeof found);
    replacement(NULL, NULL, NULL, version);
    assert_int_equal(handlers_of_the_library, before + 1);
    assert_int_equal(before, 0);
#endif
}

static int set_up(void **state)
{
    *state = scratch_new();
    return 0;
}

static int tear_down(void **state)
{
    scratch_free(*state);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_programs_openblas_keeps_its_threads),
        TEST(the_process_is_left_unchanged),
        TEST(no_fork_handler_is_installed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
