/* The restrictions of the Linux kernel: Landlock for files, seccomp for system calls.
 *
 * Reading stays possible everywhere: the inputs of a folder or a list are not known in advance, and
 * without a network and without a place to write to, there is nowhere to send what was read.
 *
 * The system calls below are refused rather than all others, because the C library, the sanitizers
 * and future kernels use calls that no list can foresee; a list of permitted calls would break the
 * program on the next version of the C library. */
#include "sandbox.h"

#include "line_history.h"
#include "memory.h"
#include "phrase.h"
#include "system.h"
#include "util/new_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define HAVE_SANDBOX 1
#endif

#ifdef HAVE_SANDBOX
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Files -------------------------------------------------------------------------------- */
/* The interface of Landlock, which <linux/landlock.h> of older distributions lacks in part. */
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    QUERY_VERSION = 1,
    RULE_PATH_BENEATH = 1,
};
#define EXECUTE (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define REMOVE_DIR (1ull << 4)
#define REMOVE_FILE (1ull << 5)
#define MAKE_ANY (0x7full << 6)
#define MAKE_DIR (1ull << 7)
#define MAKE_REG (1ull << 8)
#define REFER (1ull << 13)    /* from version 2 on */
#define TRUNCATE (1ull << 14) /* from version 3 on */

struct ruleset {
    uint64_t restricted; /* what is refused unless a rule permits it */
};
struct beneath {
    uint64_t permitted;
    int32_t folder;
} __attribute__((packed));

static uint64_t known_rights(long version)
{
    return EXECUTE | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANY | (version >= 2 ? REFER : 0) |
           (version >= 3 ? TRUNCATE : 0);
}

/* Permits `rights` for a file, or for everything in a folder. Returns false for a path that cannot be
 * opened: the command reports the error when it uses the path. */
static bool permit(int ruleset, uint64_t rights, const char *path)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct beneath rule = {.permitted = rights, .folder = fd};
    /* For a file, the kernel rejects rights that only folders have. */
    if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0) {
        rule.permitted = rights & (WRITE_FILE | TRUNCATE);
        syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    }
    close(fd);
    return true;
}

/* Cuts the last part off a path: "a/b" becomes "a", "a" becomes ".", "/a" becomes "/". */
static void cut_to_folder(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0)
        path[length++] = '.'; /* the path had at least one character */
    path[length] = 0;
}

/* Permits the command to write the file or folder and to create temporary files beside it. Where
 * folders of the path do not exist yet, it may create them. A symbolic link is followed. */
static void permit_output(int ruleset, uint64_t rights, const char *path)
{
    if (!*path)
        return;
    char *target = realpath(path, NULL);
    if (!target)
        target = pv_follow_links(path); /* which the command creates */
    char *folder = must_format("%s", target ? target : path);
    if (target)
        permit(ruleset, rights, target);
    do
        cut_to_folder(folder);
    while (!permit(ruleset, rights, folder) && strcmp(folder, ".") != 0 &&
           strcmp(folder, "/") != 0);
    free(folder);
    free(target);
}

static bool restrict_files(const struct arguments *arguments, const char *output)
{
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, QUERY_VERSION);
    if (version < 1)
        return false;
    uint64_t all = known_rights(version);
    uint64_t rights =
        all & (WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE);
    struct ruleset restricted = {all};
    int ruleset = (int)syscall(CREATE_RULESET, &restricted, sizeof restricted, 0);
    if (ruleset < 0)
        return false;

    permit(ruleset, rights & (WRITE_FILE | TRUNCATE), "/dev"); /* terminals, /dev/null */
    if (output)
        permit_output(ruleset, rights, output);
    else if (arguments->command->sorts_large ||
             (arguments_have(arguments, "in-place") && argument_flag(arguments, "in-place")))
        permit_output(ruleset, rights, arguments->operands[0]);
    if (arguments->command->temporary)
        permit(ruleset, rights, P_tmpdir);
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++)
        if (option->row.path != PSDVEC_PATH_NONE && arguments->values[k].text &&
            (!arguments->command->listens || option->row.path == PSDVEC_PATH_NEW_FILE ||
             !strcmp(option->name, "export")))
            permit_output(ruleset, rights, arguments->values[k].text);
    char *history = arguments->command->stores_lines ? line_history_path() : NULL;
    if (history)
        permit_output(ruleset, rights, history);
    free(history);
    bool done = syscall(RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return done;
}

/* ---- System calls ------------------------------------------------------------------------- */
#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* LeakSanitizer examines the process through ptrace. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static const int refused[] = {
    /* other programs */
    SYS_execve, SYS_execveat,
#ifndef SANITIZED
    SYS_ptrace,
#endif
    SYS_process_vm_readv, SYS_process_vm_writev,
    /* the network */
    SYS_connect,
    /* ways around the rules for files */
    SYS_open_by_handle_at, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_mknodat,
    SYS_setns, SYS_unshare, 425 /* io_uring_setup */,
    /* the kernel's less used parts, where its defects are */
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_keyctl, SYS_request_key,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime};
enum { refused_count = sizeof refused / sizeof *refused };

/* A command that listens opens one socket, then only accepts connections and answers them. It never
 * connects to others. */
static const int opening[] = {SYS_socket, SYS_bind, SYS_listen};
static const int serving[] = {SYS_accept, SYS_accept4, SYS_sendto};

/* Refuses the system calls of a list. */
static bool refuse_calls(const int *numbers, size_t count)
{
    struct sock_filter program[refused_count + 8];
    size_t at = 0;
    const struct sock_filter refuse =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));
    /* Another calling convention, such as that of 32-bit programs, has other numbers. */
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    program[at++] = refuse;
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    /* The numbers of the x32 convention have this bit. */
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000,
                                                 (unsigned char)(count + 1), 0);
    for (size_t k = 0; k < count; k++)
        program[at++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[k], (unsigned char)(count - k), 0);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = refuse;
    struct sock_fprog filter = {.len = (unsigned short)at, .filter = program};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

static bool restrict_calls(bool listens)
{
    bool done = refuse_calls(refused, refused_count);
    if (!listens)
        done = refuse_calls(opening, sizeof opening / sizeof *opening) &&
               refuse_calls(serving, sizeof serving / sizeof *serving) && done;
    return done;
}
#endif

const char *sandbox_start(const struct arguments *arguments, const char *output)
{
    const char *wish = system_variable("PSDVEC_SANDBOX");
    if (wish && !strcmp(wish, "off"))
        return "PSDVEC_SANDBOX=off is set";
#ifdef HAVE_SANDBOX
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return phrase("the kernel refuses it: %s", system_error(errno));
    bool files = restrict_files(arguments, output);
    bool calls = restrict_calls(arguments->command->listens);
    return files && calls ? NULL
           : files        ? "this kernel has no seccomp filters"
           : calls        ? "this kernel has no Landlock"
                          : "this kernel has neither Landlock nor seccomp filters";
#else
    (void)arguments;
    (void)output;
    return "this system has none";
#endif
}

void sandbox_listening(void)
{
#ifdef HAVE_SANDBOX
    const char *wish = system_variable("PSDVEC_SANDBOX");
    if (!wish || strcmp(wish, "off") != 0)
        refuse_calls(opening, sizeof opening / sizeof *opening);
#endif
}
