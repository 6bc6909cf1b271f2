/* One run: sets up messages, log, output and the library from the common options, runs the command,
 * and finishes the output. */
#include "run.h"

#include "exit_status.h"
#include "named_files.h"
#include "options.h"
#include "output_name.h"
#include "phrase.h"
#include "sandbox.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const psdvec_choice colour_words[] = {
    {.name = "auto"}, {.name = "always"}, {.name = "never"}, {0}};

const psdvec_option common_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = PSDVEC_OPTION_TEXT,
     .argument = "FILE",
     .group = "Common options",
     .path = PSDVEC_PATH_NEW_FILE,
     .help = "write the result to FILE; an existing file is replaced only when the new one is "
             "complete"},
    {.name = "quiet",
     .letter = 'q',
     .type = PSDVEC_OPTION_FLAG,
     .help = "print only warnings and errors"},
    {.name = "verbose", .letter = 'v', .type = PSDVEC_OPTION_FLAG, .help = "print more details"},
    {.name = "log",
     .type = PSDVEC_OPTION_TEXT,
     .argument = "FILE",
     .path = PSDVEC_PATH_NEW_FILE,
     .help = "write a log to FILE, one JSON object per line"},
    {.name = "color",
     .type = PSDVEC_OPTION_CHOICE,
     .choices = colour_words,
     .fallback = "auto",
     .help = "colour; auto respects NO_COLOR and TERM=dumb"},
    {.name = "help", .letter = 'h', .type = PSDVEC_OPTION_FLAG, .help = "show this help"},
    {0}};

struct membership run_membership;

int use_error(const char *command, const char *sentence)
{
    const char *space = *command ? " " : "";
    struct palette plain = terminal_palette(false);
    fprintf(stderr, "psdvec%s%s: ", space, command);
    message_print(sentence, "", &plain);
    fprintf(stderr, "\nTry 'psdvec%s%s --help'.\n", space, command);
    return EXIT_USE;
}

static void log_error(struct run *run, int status, const char *name, const char *message)
{
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "error");
    pv_json_put_i64(to, "exit_status", status);
    if (name)
        pv_json_put_string(to, "status", name);
    pv_json_put_string(to, "message", message);
    log_end(&line);
}

int run_error(struct run *run, int status, const char *format, ...)
{
    struct buffer message = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&message, format, list);
    va_end(list);
    talk_error(&run->talk, buffer_get(&message));
    log_error(run, status, NULL, buffer_get(&message));
    buffer_free(&message);
    return status;
}

int run_use_error(struct run *run, const char *format, ...)
{
    struct buffer message = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&message, format, list);
    va_end(list);
    if (run->talk.errors)
        talk_error(&run->talk, buffer_get(&message));
    else
        use_error(run->arguments->command->name, buffer_get(&message));
    log_error(run, EXIT_USE, NULL, buffer_get(&message));
    buffer_free(&message);
    return EXIT_USE;
}

int run_failed_because(struct run *run, psdvec_status status, const char *sentence)
{
    int code = exit_for(status);
    char *spelt = command_spell(run->arguments->command, sentence);
    talk_error(&run->talk, spelt);
    log_error(run, code, psdvec_status_name(status), spelt);
    free(spelt);
    return code;
}

int run_failed(struct run *run, psdvec_status status)
{
    if (status == PSDVEC_ERR_CANCELLED && atomic_load(&run->enough) && !signals_caught())
        return EXIT_FINE; /* finish_output() decides whether that was an error */
    const char *message = run->ctx ? psdvec_error_message(run->ctx) : "";
    if (status == PSDVEC_ERR_CANCELLED && !run->arguments->command->output_example)
        message = "stopped on request"; /* earlier output is preserved */
    if (!*message)
        message = status == PSDVEC_ERR_CANCELLED ? "stopped" : psdvec_status_name(status);
    return run_failed_because(run, status, message);
}

void run_flush(struct run *run)
{
    double seconds = pv_now();
    if (seconds - run->flushed < 0.05) /* there may be thousands of short documents */
        return;
    run->flushed = seconds;
    talk_erase(&run->talk); /* both may be on the same terminal */
    output_flush(&run->out);
    if (output_broken(&run->out))
        atomic_store(&run->enough, true);
}

const struct open_file *run_find_open(const struct run *run, enum open_kind kind, const char *name)
{
    for (size_t k = 0; k < run->open_count; k++) {
        const struct open_file *file = &run->open[k];
        const void *const objects[] = {[OPEN_MODEL] = file->model,
                                       [OPEN_COUNTS] = file->counts,
                                       [OPEN_TOPICS] = file->topics,
                                       [OPEN_SETS] = file->sets};
        if (objects[kind] && !strcmp(file->name, name))
            return file;
    }
    return NULL;
}

static bool should_cancel(void *user)
{
    struct run *run = user;
    return signals_caught() || atomic_load(&run->enough);
}

int run_check(struct run *run)
{
    /* A server lets requests finish after a signal. */
    bool stop = run->expired ? run->expired(run->expired_user) : should_cancel(run);
    return stop ? run_failed(run, PSDVEC_ERR_CANCELLED) : EXIT_FINE;
}

static void on_progress(void *user, const psdvec_progress *progress)
{
    struct run *run = user;
    talk_progress(&run->talk, progress);
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    struct run *run = user;
    char *spelt = command_spell(run->arguments->command, text);
    if (level == PSDVEC_WARNING)
        talk_warning(&run->talk, spelt);
    else if (level == PSDVEC_STEP)
        talk_step(&run->talk, spelt);
    else
        talk_note(&run->talk, spelt);
    free(spelt);
}

int run_library(struct run *run)
{
    if (run->ctx)
        return EXIT_FINE;
    psdvec_context_options *options = options_take(run, PSDVEC_OPTIONS_CONTEXT);
    if (!options)
        return run->refusal;
    options->on_progress = on_progress;
    options->on_message = on_message;
    options->should_cancel = should_cancel;
    options->user = run;
    psdvec_status status = psdvec_context_new(options, &run->ctx);
    if (status != PSDVEC_OK) {
        run->ctx = NULL;
        return run_error(run, exit_for(status),
                         "cannot start with these values of --threads and "
                         "--memory: %s",
                         psdvec_status_name(status));
    }
    return run_membership.join ? run_membership.join(run->ctx) : EXIT_FINE;
}

static int failed_to_write(struct run *run, const char *what, const struct output *out)
{
    return run_error(run, exit_for_output(out->error), "cannot write %s: %s", what,
                     output_error(out));
}

/* Finishes the output: EPIPE is not an error, because the reader may have seen enough. */
static int finish_output(struct run *run, int code)
{
    const char *path = argument_text(run->arguments, "output");
    bool ours = !run->arguments->command->output_example;
    if (output_close(&run->out, code == EXIT_FINE) || run->out.error == EPIPE || code != EXIT_FINE)
        return code;
    if (run->out.error == EINTR)
        return exit_for(PSDVEC_ERR_CANCELLED);
    return failed_to_write(run, path && ours ? path : "to standard output", &run->out);
}

/* The memory limit, in bytes; 0 after an error was reported. */
static uint64_t memory_limit(struct run *run)
{
    if (run->ctx)
        return psdvec_memory_budget(run->ctx);
    const psdvec_context_options *options = options_take(run, PSDVEC_OPTIONS_CONTEXT);
    if (!options)
        return 0;
    return options->memory ? options->memory : psdvec_machine_memory() / 2;
}

char *run_read(struct run *run, const char *what, const char *path, size_t *length)
{
    uint64_t most = memory_limit(run) / 16;
    if (!most)
        return NULL;
    char *text = read_whole(path, most < SIZE_MAX / 4 ? (size_t)most : SIZE_MAX / 4, length);
    const char *name = strcmp(path, "-") != 0 ? path : "standard input";
    if (!text && errno == EFBIG)
        run->refusal = run_error(run, EXIT_RESOURCE,
                                 "%s%s is larger than %s, a sixteenth of the memory limit; shorten "
                                 "it or raise the limit (--memory)",
                                 what, name, phrase_bytes((double)most));
    else if (!text)
        run->refusal =
            run_error(run, EXIT_INPUT, "cannot read %s%s: %s", what, name, system_error(errno));
    return text;
}

int run_write(struct run *run, const char *path, const struct buffer *text)
{
    struct output out;
    if (output_open(&out, path))
        output_add(&out, buffer_get(text), text->length);
    return output_close(&out, true) ? EXIT_FINE : failed_to_write(run, path, &out);
}

const char *run_output(const struct run *run)
{
    return arguments_output(run->arguments);
}

static int act(struct run *run)
{
    const struct command *command = run->arguments->command;
    const char *path = run_output(run);
    if (command->output_example && !command->output_optional && !path &&
        !arguments_alone(run->arguments))
        return run_use_error(run, "give an output, for example -o %s", command->output_example);
    if (command->output_operand && argument_text(run->arguments, "output") &&
        run->arguments->operand_count > 1)
        return run_use_error(run, "two outputs are given, %s and %s; give one", path,
                             run->arguments->operands[1]);
    const char *name_error = output_name_error(command, path);
    if (name_error)
        return run_use_error(run, "%s", name_error);
    if (!output_open(&run->out, command->output_example ? NULL : path)) {
        int code = failed_to_write(run, path, &run->out);
        output_close(&run->out, false);
        return code;
    }
    output_protect(&run->out, &run->palette);
    int prepared = command->prepare ? command->prepare(run) : EXIT_FINE;
    if (prepared)
        return finish_output(run, prepared);
    /* Hidden commands read no foreign files, and write into folders that are operands. */
    const char *unrestricted = command->group ? sandbox_start(run->arguments, path) : NULL;
    if (unrestricted)
        talk_note(&run->talk, phrase("running without a sandbox: %s", unrestricted));
    int code = command->act(run);
    talk_erase(&run->talk);
    return finish_output(run, code);
}

int run_command(const struct arguments *arguments)
{
    struct run run = {.arguments = arguments};
    const char *log_path = run_membership.follows ? NULL : argument_text(arguments, "log");
    enum colour_wish wish = (enum colour_wish)argument_integer(arguments, "color");
    char *who = must_format("psdvec %s", arguments->command->name);

    talk_start(&run.talk, who, &run.log);
    run.talk.quiet = argument_flag(arguments, "quiet");
    run.talk.verbose = argument_flag(arguments, "verbose");
    run.talk.progress = terminal_redraws(STDERR_FILENO);
    run.talk.unicode = terminal_unicode();
    run.talk.palette = terminal_palette(terminal_colour(STDERR_FILENO, wish));
    run.palette = terminal_palette(
        terminal_colour(STDOUT_FILENO,
                        /* Results go to the file, unless the library writes it. */
                        argument_text(arguments, "output") && !arguments->command->output_example &&
                                wish == COLOUR_AUTO
                            ? COLOUR_NEVER
                            : wish));

    for (size_t k = 0; k < command_option_count(arguments->command); k++)
        if (option_is_format(command_option(arguments->command, k)))
            run.format = (enum format)arguments->values[k].integer;

    int code;
    const char *overwritten = named_files_error(arguments);
    if (overwritten) {
        log_open(&run.log, NULL);
        code = run_error(&run, EXIT_OUTPUT, "%s", overwritten);
    } else if (!log_open(&run.log, log_path)) {
        int error = errno;
        code = run_error(&run, exit_for_output(error), "cannot write the log %s: %s", log_path,
                         system_error(error));
    } else {
        log_start(&run.log, arguments);
        code = act(&run);
    }
    struct log_line last;
    pv_json_put_i64(log_begin(&last, &run.log, "end"), "exit_status", code);
    log_end(&last);
    lasting_end(0);
    psdvec_context_free(run.ctx);
    for (size_t k = 0; k < run.settings_count; k++)
        psdvec_settings_free(run.settings[k]);
    free(run.settings);
    word_list_free(&run.words);
    if (!log_close(&run.log) && code == EXIT_FINE)
        code = run_error(&run, EXIT_OUTPUT, "cannot write the log %s", log_path);
    talk_end(&run.talk);
    free(who);
    return code;
}

void run_announce_terminal(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    bool reads = arguments->operand_count == 0;
    for (size_t k = 0; k < arguments->operand_count; k++)
        reads |= !strcmp(arguments->operands[k], "-");
    if (reads && isatty(STDIN_FILENO))
        talk_say(&run->talk, "reading from the terminal; end the text with Ctrl-D\n");
}
