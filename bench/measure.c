/* Runs a command several times and prints the medians: one line of wall seconds, CPU seconds (user
 * and system), peak resident MiB.
 *
 *     measure REPEAT COMMAND [ARGUMENT...]
 *
 * The output of the command is discarded; if it fails, so does this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void run_child(char **command)
{
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    execvp(command[0], command);
    fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

int main(int argc, char **argv)
{
    int repeat = argc > 2 ? atoi(argv[1]) : 0;
    if (repeat < 1 || repeat > 1000) {
        fprintf(stderr, "usage: measure REPEAT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double wall[1000], cpu[1000], peak[1000];
    for (int i = 0; i < repeat; i++) {
        struct rusage usage;
        int status;
        double began = now();
        pid_t child = fork();
        if (child == 0)
            run_child(argv + 2);
        if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
            perror("measure");
            return 1;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "measure: %s failed\n", argv[2]);
            return 1;
        }
        wall[i] = now() - began;
        cpu[i] = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
        peak[i] = (double)usage.ru_maxrss / 1024;
    }
    printf("%.3f\t%.3f\t%.0f\n", median(wall, repeat), median(cpu, repeat), median(peak, repeat));
    return 0;
}
