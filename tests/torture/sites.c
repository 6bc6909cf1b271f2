/* The log, and the call sites in it: chains of return addresses. */
#include "inject.h"

#ifdef __GLIBC__

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *take_pages(size_t size)
{
    long at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (at == -1)
        syscall(SYS_exit_group, 98);
    return (void *)at;
}

void add_text(line *to, const char *text)
{
    for (; *text && to->length < sizeof to->text - 1; text++)
        to->text[to->length++] = *text;
}

void add_number(line *to, unsigned long number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = "0123456789abcdef"[number % base];
    while (number /= base);
    add_text(to, " ");
    add_text(to, digits + at);
}

void log_line(line *text)
{
    text->text[text->length++] = '\n';
    if (wish.log >= 0)
        syscall(SYS_write, wish.log, text->text, text->length);
}

/* ---- Call sites ------------------------------------------------------------------------------ */

_Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *opaque)
{
    chain *to = opaque;
    uintptr_t at = _Unwind_GetIP(context);
    if (at >= program_begin && at < program_end)
        to->address[to->depth++] = (uint32_t)(at - program_base);
    else if (to->depth == 0 && to->foreign_depth < FOREIGN)
        to->foreign[to->foreign_depth++] = (const void *)(at - 1);
    return to->depth < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void add_chain(line *to, const chain *from)
{
    for (int i = 0; i < from->depth; i++)
        add_number(to, from->address[i], 16);
}

void add_foreign(line *to, const chain *from)
{
    Dl_info info, own;
    dladdr((const void *)add_foreign, &own);
    for (int i = 0; i < from->foreign_depth; i++) {
        if (!dladdr(from->foreign[i], &info) || info.dli_fbase == own.dli_fbase || !info.dli_sname)
            continue;
        add_text(to, " ");
        add_text(to, info.dli_sname);
    }
}

typedef struct site {
    chain where;
    long first, count;
    int class;
} site;

enum { SITES = 1 << 15 };
static site *sites; /* a hash table of SITES; a count of 0 is an empty place */
static size_t site_count;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

static bool same_chain(const chain *a, const chain *b)
{
    return a->depth == b->depth && a->foreign_depth == b->foreign_depth &&
           !memcmp(a->address, b->address, (size_t)a->depth * sizeof a->address[0]) &&
           !memcmp(a->foreign, b->foreign, (size_t)a->foreign_depth * sizeof a->foreign[0]);
}

void note_site(call_class class, long number, const chain *where)
{
    uint64_t hash = (uint64_t) class + 1;
    for (int i = 0; i < where->depth; i++)
        hash = (hash ^ where->address[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < where->foreign_depth; i++)
        hash = (hash ^ (uintptr_t)where->foreign[i]) * UINT64_C(0x9e3779b97f4a7c15);
    pthread_mutex_lock(&site_lock);
    if (!sites)
        sites = take_pages(SITES * sizeof *sites);
    for (size_t at = hash >> 49;; at = (at + 1) % SITES) {
        site *s = &sites[at];
        if (s->count == 0) {
            if (site_count < SITES / 2) {
                site_count++;
                *s = (site){.where = *where, .first = number, .count = 1, .class = (int)class};
            }
            break;
        }
        if (s->class == (int)class && same_chain(&s->where, where)) {
            s->count++;
            break;
        }
    }
    pthread_mutex_unlock(&site_lock);
}

void log_sites(void)
{
    line text;
    for (size_t i = 0; sites && i < SITES; i++) {
        const site *s = &sites[i];
        if (s->count == 0)
            continue;
        text.length = 0;
        add_text(&text, "site ");
        add_text(&text, class_names[s->class]);
        add_number(&text, (unsigned long)s->first, 10);
        add_number(&text, (unsigned long)s->count, 10);
        add_chain(&text, &s->where);
        log_line(&text);
    }
}

#endif
