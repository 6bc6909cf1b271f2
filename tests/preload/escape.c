/* Preloaded into the program: when the program ends, attempts what its sandbox must prevent, and
 * prints one line for each attempt to standard error. ESCAPE_TO names a folder that the command
 * line does not mention. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void report(const char *what, long result)
{
    int error = errno;
    fprintf(stderr, "%s: %s\n", what, result >= 0 ? "possible" : strerror(error));
}

__attribute__((destructor)) static void attempt(void)
{
    char path[4096];
    const char *folder = getenv("ESCAPE_TO");
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/new", folder);
    report("create", open(path, O_WRONLY | O_CREAT, 0600));
    report("mkdir", mkdir(path, 0700));
    snprintf(path, sizeof path, "%s/old", folder);
    report("write", open(path, O_WRONLY));
    report("truncate", truncate(path, 0));
    report("unlink", unlink(path));
    report("read", open(path, O_RDONLY));
    report("socket", socket(AF_INET, SOCK_STREAM, 0));
    char *const none[] = {NULL};
    report("exec", execve("/bin/true", none, none));
}
