/* Editing of lines with libedit.
 *
 * libedit edits and draws the line. Its default reader retries a read that a signal interrupts, so
 * that Ctrl-C would do nothing, and its signal handlers would replace those of the program. So it
 * reads characters through read_character(), which waits with signals_wait(). That also detects a
 * change of the window size and the return to the foreground, and redraws the line.
 *
 * Tab inserts the common prefix of all offers; if there is none, it lists them. */
#include "line_editor.h"

#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>

void offers_show(struct offers *offers, const char *text, size_t length)
{
    if (offers->count < OFFERS_SHOWN)
        offers->shown[offers->count++] = must_format("%.*s", (int)length, text);
}

void offers_share(struct offers *offers, const char *text, size_t length)
{
    struct buffer *common = &offers->common;
    if (!common->text) {
        buffer_add(common, text, length);
        return;
    }
    size_t same = 0;
    while (same < length && same < common->length && text[same] == common->text[same])
        same++;
    same = pv_utf8_cut(common->text, same); /* complete characters only */
    common->length = same;
    common->text[same] = '\0';
}

void offers_add(struct offers *offers, const char *text, size_t length)
{
    offers_show(offers, text, length);
    offers_share(offers, text, length);
    offers->total++;
}

void offers_free(struct offers *offers)
{
    for (size_t k = 0; k < offers->count; k++)
        free(offers->shown[k]);
    buffer_free(&offers->common);
}

#ifndef PV_HAVE_LIBEDIT

struct line_editor *line_editor_open(const char *prompt, line_completer *complete, void *host)
{
    (void)prompt, (void)complete, (void)host;
    return NULL;
}

const char *line_editor_read(struct line_editor *editor)
{
    (void)editor;
    return NULL;
}

void line_editor_close(struct line_editor *editor)
{
    (void)editor;
}

#else

#include "cell.h"
#include "line_history.h"
#include "phrase.h"
#include "system.h"
#include "terminal.h"

#include <errno.h>
#include <histedit.h>
#include <unistd.h>

struct line_editor {
    EditLine *edit;
    History *history;
    char *history_path; /* NULL: none */
    char *last;         /* last line of the history */
    const char *prompt;
    line_completer *complete;
    void *host;
    struct buffer line;
};

static struct line_editor *editor_of(EditLine *edit)
{
    void *editor = NULL;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt_of(EditLine *edit)
{
    return (char *)editor_of(edit)->prompt;
}

/* ---- Characters ----------------------------------------------------------------------------- */

/* Called when the window size has changed, or the program is in the foreground again, where the
 * shell may have left the terminal in another mode. */
static void redraw(EditLine *edit)
{
    el_set(edit, EL_PREP_TERM, 0);
    el_set(edit, EL_PREP_TERM, 1);
    el_resize(edit);
    fputs("\r", stdout);
    el_set(edit, EL_REFRESH);
}

/* Returns 1 and a character; 0 at the end; -1 and errno. */
static int read_character(EditLine *edit, wchar_t *to)
{
    mbstate_t state = {0};
    for (;;) {
        char byte;
        if (!signals_wait(STDIN_FILENO)) {
            if (errno != EAGAIN)
                return -1;
            redraw(edit);
            continue;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        bool inside = !mbsinit(&state);
        size_t used = mbrtowc(to, &byte, 1, &state);
        if (used == (size_t)-1) {
            /* Invalid UTF-8 is dropped, except a byte that may start the next character. */
            memset(&state, 0, sizeof state);
            if (!inside)
                continue;
            used = mbrtowc(to, &byte, 1, &state);
            if (used == (size_t)-1)
                memset(&state, 0, sizeof state);
        }
        /* A Ctrl-D typed before the terminal was in raw mode arrives as a zero byte. */
        if (used != (size_t)-1 && used != (size_t)-2 && *to != L'\0')
            return 1;
    }
}

/* ---- Completion ----------------------------------------------------------------------------- */

/* The most frequent or most relevant first, row by row. */
static void list_offers(const struct offers *offers)
{
    size_t widest = 1, width = terminal_width(STDOUT_FILENO);
    for (size_t k = 0; k < offers->count; k++) {
        size_t columns = utf8_columns(offers->shown[k], strlen(offers->shown[k]));
        widest = columns > widest ? columns : widest;
    }
    size_t per_row = width / (widest + 2) ? width / (widest + 2) : 1;
    struct buffer text = {0};
    for (size_t k = 0; k < offers->count; k++) {
        const char *offer = offers->shown[k];
        buffer_text(&text, k % per_row ? "" : "\n");
        cell_text(&text, offer, strlen(offer));
        if ((k + 1) % per_row && k + 1 < offers->count)
            add_spaces(&text, widest + 2 - utf8_columns(offer, strlen(offer)));
    }
    if (offers->total > offers->count)
        buffer_format(&text, "\n(%s more)", human_count(offers->total - offers->count).text);
    fprintf(stdout, "%s\n", buffer_get(&text));
    buffer_free(&text);
}

/* Replaces the typed text by the common prefix of the offers. */
static bool insert(EditLine *edit, const char *typed, const struct offers *offers)
{
    struct buffer text = {0};
    const char *common = buffer_get(&offers->common);
    size_t length = offers->common.length;
    for (size_t k = 0; k < length; k++)
        if ((unsigned char)common[k] < ' ' || common[k] == '\177')
            length = k;
    bool whole = offers->total == 1 && length == offers->common.length;
    bool blank = !offers->quote && memchr(common, ' ', length);
    buffer_text(&text, blank ? "\"" : "");
    buffer_add(&text, common, length);
    if (whole && !offers->open) {
        if (blank || offers->quote)
            buffer_char(&text, blank ? '"' : offers->quote);
        buffer_char(&text, ' ');
    }
    bool other = text.length != offers->replaced || memcmp(text.text, typed, text.length) != 0;
    /* Only if that adds to the typed text, changes its case, or completes a single offer. */
    bool inserted = other && text.length >= offers->replaced;
    if (inserted) {
        if (offers->replaced)
            el_deletestr(edit, (int)pv_utf8_length(typed, offers->replaced));
        inserted = el_insertstr(edit, buffer_get(&text)) == 0;
    }
    buffer_free(&text);
    return inserted;
}

static unsigned char complete(EditLine *edit, int character)
{
    (void)character;
    struct line_editor *editor = editor_of(edit);
    const LineInfo *info = el_line(edit);
    struct offers offers = {0};
    size_t mark = lasting_count(), length = (size_t)(info->cursor - info->buffer);
    char *before = must_format("%.*s", (int)length, info->buffer);
    unsigned char result = CC_ERROR; /* which beeps */
    editor->complete(editor->host, before, &offers);
    if (offers.total > 0 && insert(edit, before + length - offers.replaced, &offers))
        result = CC_REFRESH;
    else if (offers.total > 1) {
        list_offers(&offers);
        result = CC_REDISPLAY;
    }
    offers_free(&offers);
    free(before);
    lasting_end(mark);
    return result;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void add_to_history(void *host, const char *line)
{
    struct line_editor *editor = host;
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
    free(editor->last);
    editor->last = must_copy(line);
}

static void bind_keys(EditLine *edit)
{
    static const char *const keys[][2] = {
        {"^I", "psdvec-complete"},         {"^R", "em-inc-search-prev"},
        {"\\e[3~", "ed-delete-next-char"}, {"\\e[1;5C", "em-next-word"},
        {"\\e[1;5D", "ed-prev-word"},
    };
    el_set(edit, EL_EDITOR, "emacs");
    /* el_set() would not free its copies of the strings. */
    el_wset(edit, EL_ADDFN, L"psdvec-complete", L"Complete a word", complete);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        el_set(edit, EL_BIND, keys[k][0], keys[k][1], NULL);
    el_source(edit, NULL); /* ~/.editrc */
}

struct line_editor *line_editor_open(const char *prompt, line_completer *offer, void *host)
{
    HistEvent event;
    if (!terminal_redraws(STDOUT_FILENO) || !terminal_unicode())
        return NULL;
    EditLine *edit = el_init("psdvec", stdin, stdout, stderr);
    History *lines = history_init();
    if (!edit || !lines) {
        if (edit)
            el_end(edit);
        if (lines)
            history_end(lines);
        return NULL;
    }
    struct line_editor *editor = must_alloc(1, sizeof *editor);
    *editor = (struct line_editor){.edit = edit,
                                   .history = lines,
                                   .history_path = line_history_path(),
                                   .prompt = prompt,
                                   .complete = offer,
                                   .host = host};
    el_set(edit, EL_CLIENTDATA, editor);
    el_set(edit, EL_PROMPT, prompt_of);
    el_wset(edit, EL_GETCFN, read_character);
    bind_keys(edit);
    history(lines, &event, H_SETSIZE, HISTORY_LINES);
    history(lines, &event, H_SETUNIQUE, 1);
    el_set(edit, EL_HIST, history, lines);
    if (editor->history_path)
        line_history_load(editor->history_path, add_to_history, editor);
    signals_watch_terminal();
    return editor;
}

const char *line_editor_read(struct line_editor *editor)
{
    int length = 0;
    errno = 0;
    /* Before the prompt is shown, so that input typed at it is not read as a complete line. */
    el_set(editor->edit, EL_PREP_TERM, 1);
    const char *got = el_gets(editor->edit, &length);
    if (!got) {
        errno = length < 0 ? errno : 0;
        return NULL;
    }
    buffer_clear(&editor->line);
    buffer_add(&editor->line, got, strcspn(got, "\r\n"));
    const char *line = buffer_get(&editor->line);
    if (line[strspn(line, " \t")] && !(editor->last && !strcmp(editor->last, line))) {
        add_to_history(editor, line);
        if (editor->history_path)
            line_history_add(editor->history_path, line);
    }
    return line;
}

void line_editor_close(struct line_editor *editor)
{
    if (!editor)
        return;
    el_end(editor->edit);
    history_end(editor->history);
    free(editor->history_path);
    free(editor->last);
    buffer_free(&editor->line);
    free(editor);
}

#endif
