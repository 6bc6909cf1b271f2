/* Building the core's pairs from the counts. */
#include "link/pairs.h"

#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/trim.h"

#include <math.h>
#include <string.h>

enum { block_count = 64, most_tiles = 64, head_bytes_a_pair = 4, pack_tasks = 8 };

/* A block that another member sends: the entries of its rows in the columns that are rows
 * first .. end-1 of this member (from its first). */
typedef struct arrival {
    uint64_t round;
    uint32_t sender, first, end;
    uint64_t bytes;
} arrival;

struct pv_pairs_mail {
    uint32_t first_sent;    /* block */
    uint64_t rounds;        /* of all members */
    uint32_t *column_count; /* columns from the first row on: entries above the diagonal */
    uint32_t senders;       /* members before this one, and this one */
    /* rows x senders: where the entries of each sender begin, from the beginning of the row; those
     * of this member are the last. */
    uint32_t *from_begin;
    arrival *arrival;
    size_t arrivals, arrival_room;
    pv_large out, in; /* of one round */
};

typedef struct mirror_job {
    pv_pairs *pairs;
    bool columns; /* copy the pattern; else the values */
    uint32_t block;
} mirror_job;

/* Unseen pairs whose weight is capped do not have the form of the background (link.h) and are
 * stored like seen pairs. They consist of the few words with large enough probability. Returns the
 * end of the range of these words. */
static uint32_t capped_words(const pv_link *link)
{
    if (!link->background_only_unseen)
        return 0;
    double largest = 0;
    for (uint32_t i = 0; i < link->core; i++)
        if (link->background_factor[i] > largest)
            largest = link->background_factor[i];
    uint32_t end = 0;
    for (uint32_t i = 0; i < link->core; i++)
        if (link->background * link->background_factor[i] * largest > 1)
            end = i + 1;
    return end;
}

typedef struct make_job {
    const pv_link *link;
    pv_pairs *pairs;
    pv_column_blocks blocks; /* of the counts */
    uint32_t capped;         /* words that may have capped unseen pairs */
    bool fill;               /* else only count */
    bool start;
    atomic_bool other; /* there is a weight that is not positive */
    uint32_t *below;   /* workers x n: entries of each column above the diagonal */
    pv_progress progress;
} make_job;

/* Receives a row's pairs above the diagonal, in ascending order. */
typedef struct pair_sink {
    make_job *job;
    uint32_t *below; /* of this worker */
    uint32_t i;
    uint64_t count;
    double constant;
} pair_sink;

static psdvec_status take_pair(pair_sink *sink, uint32_t j, uint64_t after, uint64_t before)
{
    make_job *job = sink->job;
    pv_pairs *pairs = job->pairs;
    uint64_t k = sink->count++;
    if (!job->fill) {
        sink->below[j]++;
        return PSDVEC_OK;
    }
    double xij = pv_link_count(job->link, sink->i, j, after);
    double xji = pv_link_count(job->link, j, sink->i, before);
    pv_pair pair = pv_link_pair(job->link, sink->i, j, xij, xji);
    if (PV_UNLIKELY(!isfinite(pair.weight) || !isfinite(pair.target))) {
        size_t a, b;
        const char *first = psdvec_counts_word(job->link->counts, sink->i, &a);
        const char *second = psdvec_counts_word(job->link->counts, j, &b);
        return pv_fail(job->link->ctx, PSDVEC_ERR_NUMERIC,
                       "the words \"%.*s\" and \"%.*s\" have the weight %g and the target %g, of "
                       "which one is not finite; their counts are %g and %g",
                       (int)a, first, (int)b, second, pair.weight, pair.target, xij, xji);
    }
    uint32_t row = sink->i - pairs->first;
    uint64_t at = pairs->upper[row] + k;
    pairs->matrix.column[pairs->middle[row] + k] = j;
    pairs->weight[at] = (float)pair.weight;
    pairs->target[at] = (float)pair.target;
    if (PV_UNLIKELY(!(pairs->weight[at] > 0)))
        atomic_store(&job->other, true);
    if (job->start)
        pairs->matrix.value[pairs->middle[row] + k] = (float)pair.start;
    sink->constant += 2 * pair.constant;
    return PSDVEC_OK;
}

/* Makes the pairs of a row above the diagonal, including capped unseen ones. */
static psdvec_status make_row(void *arg, pv_pair_row row, int worker)
{
    make_job *job = arg;
    const pv_link *link = job->link;
    uint32_t i = row.i, next_capped = i < job->capped ? i + 1 : link->core;
    pair_sink sink = {.job = job, .below = job->below + (size_t)worker * link->core, .i = i};
    pv_pair_skip(&row, i + 1);
    for (bool more = true; more;) {
        more = pv_pair_next(&row) && row.j < link->core;
        uint32_t j = more ? row.j : link->core;
        for (; next_capped < job->capped && next_capped < j; next_capped++)
            if (pv_link_background(link, i, next_capped) > 1)
                PV_TRY(take_pair(&sink, next_capped, 0, 0));
        if (next_capped == j)
            next_capped++;
        if (more)
            PV_TRY(take_pair(&sink, j, row.xij, row.xji));
    }
    if (!job->fill)
        job->pairs->upper[i - job->pairs->first + 1] = sink.count;
    else
        job->pairs->constant[i - job->pairs->first] = sink.constant;
    return PSDVEC_OK;
}

static psdvec_status walk_counts(make_job *job)
{
    pv_pair_walk walk = {.blocks = &job->blocks,
                         .above = true,
                         .progress = &job->progress,
                         .on_row = make_row,
                         .arg = job};
    return pv_walk_pairs(job->link->ctx, &walk);
}

static psdvec_status open_job(make_job *job, const pv_link *link, const pv_division *division,
                              pv_pairs **out)
{
    psdvec_context *ctx = link->ctx;
    pv_pairs *pairs = *out = pv_alloc_zero(ctx, 1, sizeof *pairs, "the pairs");
    *job = (make_job){.link = link, .pairs = pairs, .capped = capped_words(link)};
    atomic_init(&job->other, false);
    if (!pairs)
        return pv_failure(ctx);
    pv_tiles own = pv_tiles_own(division, link->core);
    uint32_t rows = (uint32_t)(own.end - own.first);
    pairs->ctx = ctx;
    pairs->memory = (pv_scope){.ctx = ctx, .what = "the pairs"};
    pairs->division = division;
    pairs->n = link->core;
    pairs->first = (uint32_t)own.first;
    PV_TRY(pv_csr_store_open(ctx, rows, link->core, "the pairs", &pairs->matrix));
    PV_TAKE_ZERO(&pairs->memory, pairs->middle, (size_t)rows + 1);
    PV_TAKE_ZERO(&pairs->memory, pairs->upper, (size_t)rows + 1);
    PV_TAKE_ZERO(&pairs->memory, pairs->near, rows);
    PV_TAKE_ZERO(&pairs->memory, pairs->constant, rows);
    PV_TRY(pv_scope_status(&pairs->memory));
    pv_csr counts = link->counts->rows;
    counts.rows = link->core;
    counts.value32 = NULL; /* not needed to count */
    counts.value64 = NULL;
    PV_TRY(pv_column_blocks_make(ctx, counts, pairs->first, (uint32_t)own.end, block_count,
                                 &job->blocks));
    job->below = pv_alloc_zero(ctx, (size_t)psdvec_threads(ctx) * link->core, sizeof *job->below,
                               "the pairs");
    return job->below ? PSDVEC_OK : pv_failure(ctx);
}

static void close_job(make_job *job)
{
    pv_free(job->link->ctx, job->below);
    pv_column_blocks_free(&job->blocks);
}

/* The first pass: counts the pairs of each row above the diagonal, and those of each column. */
static psdvec_status count_pairs(make_job *job)
{
    pv_pairs *pairs = job->pairs;
    psdvec_context *ctx = job->link->ctx;
    const pv_csr *counts = &job->blocks.matrix;
    pv_progress_begin(&job->progress, ctx, "pairing", "pairs", 2 * counts->end[counts->rows - 1]);
    PV_TRY(walk_counts(job));
    for (int w = 1; w < psdvec_threads(ctx); w++)
        for (size_t j = 0; j < pairs->n; j++)
            job->below[j] += job->below[(size_t)w * pairs->n + j];
    for (uint32_t i = 0; i < pairs->matrix.rows; i++)
        pairs->upper[i + 1] += pairs->upper[i];
    pairs->count = pairs->total = pairs->upper[pairs->matrix.rows];
    if (pairs->division)
        PV_TRY(pv_group_add(ctx, &pairs->total, 1));
    return pairs->total == 0 ? pv_link_no_pairs(job->link) : PSDVEC_OK;
}

/* A pair belongs to the core as soon as its rarer word does, and there it is below the diagonal. */
void pv_pairs_among(const pv_pairs *pairs, uint64_t *among)
{
    among[0] = 0;
    for (uint32_t i = 0; i < pairs->matrix.rows; i++)
        among[i + 1] = among[i] + (pairs->middle[i] - pairs->matrix.begin[i]);
}

psdvec_status pv_pairs_count(const pv_link *link, uint64_t *among)
{
    pv_pairs *pairs;
    make_job job;
    psdvec_status status;
    PV_TRY_DONE(open_job(&job, link, NULL, &pairs));
    PV_TRY_DONE(count_pairs(&job));
    among[0] = 0;
    for (size_t i = 0; i < pairs->n; i++)
        among[i + 1] = among[i] + job.below[i];
done:
    close_job(&job);
    pv_pairs_free(pairs);
    return status;
}

uint64_t pv_pairs_large_bytes(uint64_t count)
{
    return count * (2 * sizeof(uint32_t) + 4 * sizeof(float) + head_bytes_a_pair);
}

/* Of two consecutive blocks of columns that are mirrored, at least this share of the pairs; blocks
 * that are sent also have so many entries. The last of a member may have less. */
enum { block_share = 32, least_sent = 1 << 18 };

static uint64_t most_blocks(const pv_division *division)
{
    return 2 * block_share + 1 + (division ? division->members : 0);
}

uint64_t pv_pairs_bytes(uint64_t n, const pv_division *division)
{
    uint64_t rows = pv_rows_own(division, n), segments = division ? PV_SEGMENTS : 1;
    uint64_t a_row = 4 * sizeof(uint64_t) + sizeof(double) + (segments + 1) * sizeof(uint64_t) +
                     (most_blocks(division) + most_tiles + 2) * sizeof(uint32_t);
    uint64_t blocks = n / PV_HEAD_ROWS + 1;
    uint64_t mail = !division ? 0
                              : sizeof(pv_pairs_mail) + n * sizeof(uint32_t) +
                                    rows * ((uint64_t)division->rank + 1) * sizeof(uint32_t) +
                                    (most_blocks(division) + 1) * (division->members + 2) *
                                        sizeof(arrival);
    return sizeof(pv_pairs) + (rows + 1) * a_row + mail +
           (blocks + 1) * (sizeof(uint32_t) + sizeof(uint64_t));
}

uint64_t pv_pairs_make_bytes(uint64_t n, const pv_division *division, uint64_t bigrams, int threads)
{
    /* The counts of pairs below the diagonal, per worker, and when they are exchanged. */
    uint64_t below = ((uint64_t)threads + (division ? 4 : 0)) * n * sizeof(uint32_t);
    return below + pv_column_blocks_bytes(n, n, block_count, threads) +
           pv_gather_bytes(n, n, bigrams, block_count, threads);
}

/* ---- The part below the diagonal -----------------------------------------------
 * The entries above the diagonal are divided into blocks of columns, none of which belongs to two
 * members. Those in columns of this member are mirrored here. The others are sent, transposed, to
 * the members that have these columns as rows: one block of every member in each round. Members
 * before this one likewise send blocks, of some consecutive rows of this member: in each row their
 * entries follow each other, in the order of the members. */

static psdvec_status mirror_block(void *arg, size_t task, int worker)
{
    const mirror_job *job = arg;
    pv_pairs *pairs = job->pairs;
    (void)worker;
    /* Entries above the diagonal: no row at or below the last column has any. */
    uint32_t first = pairs->blocks.edges[task] - pairs->first;
    return pv_transpose_block(pairs->ctx, &pairs->blocks, (uint32_t)task,
                              pairs->blocks.edges[task + 1] - pairs->first, pairs->first,
                              pairs->near + first, job->columns ? pairs->matrix.column : NULL,
                              pairs->matrix.value, job->columns ? NULL : pairs->matrix.value);
}

/* Writes a part of the columns of a block, transposed, to mail->out. */
static psdvec_status pack_columns(void *arg, size_t task, int worker)
{
    const mirror_job *job = arg;
    const pv_pairs *pairs = job->pairs;
    pv_pairs_mail *mail = pairs->mail;
    const uint32_t *edges = pairs->blocks.edges + job->block, *column = pairs->matrix.column;
    uint64_t width = edges[1] - edges[0];
    uint32_t first = edges[0] + (uint32_t)(width * task / pack_tasks);
    uint32_t end = edges[0] + (uint32_t)(width * (task + 1) / pack_tasks);
    (void)worker;
    if (first == end)
        return PSDVEC_OK;
    uint64_t *next = pv_alloc(pairs->ctx, end - first, sizeof *next, "the pairs");
    if (!next)
        return pv_failure(pairs->ctx);
    uint64_t at = 0;
    for (uint32_t j = edges[0]; j < end; j++) {
        if (j >= first)
            next[j - first] = at;
        at += mail->column_count[j - pairs->first];
    }
    uint32_t *rows = mail->out.data;
    float *values = mail->out.data;
    for (uint32_t i = 0; i < pairs->matrix.rows; i++) {
        uint64_t from, to;
        pv_column_range(&pairs->blocks, i, job->block, &from, &to);
        from += pv_lower_bound(column + from, to - from, first);
        for (; from < to && column[from] < end; from++) {
            uint64_t where = next[column[from] - first]++;
            if (job->columns)
                rows[where] = pairs->first + i;
            else
                values[where] = pairs->matrix.value[from];
        }
        pv_trim(pairs->ctx);
    }
    pv_free(pairs->ctx, next);
    return PSDVEC_OK;
}

static uint64_t entries_of_block(const pv_pairs *pairs, uint32_t block)
{
    uint64_t sum = 0;
    for (uint32_t j = pairs->blocks.edges[block]; j < pairs->blocks.edges[block + 1]; j++)
        sum += pairs->mail->column_count[j - pairs->first];
    return sum;
}

/* Copies what arrived to the rows that it belongs to. */
static void take_arrival(mirror_job *job, const arrival *a, const char *data)
{
    pv_pairs *pairs = job->pairs;
    const pv_pairs_mail *mail = pairs->mail;
    char *to = job->columns ? (char *)pairs->matrix.column : (char *)pairs->matrix.value;
    for (uint32_t i = a->first; i < a->end; i++) {
        const uint32_t *begin = mail->from_begin + (size_t)i * mail->senders + a->sender;
        size_t count = begin[1] - begin[0];
        memcpy(to + (pairs->matrix.begin[i] + begin[0]) * sizeof(float), data,
               count * sizeof(float));
        data += count * sizeof(float);
    }
}

/* One round: sends a block, and receives those of other members. */
static psdvec_status mirror_round(mirror_job *job, uint64_t round)
{
    pv_pairs *pairs = job->pairs;
    psdvec_context *ctx = pairs->ctx;
    pv_pairs_mail *mail = pairs->mail;
    const pv_division *d = pairs->division;
    job->block = mail->first_sent + (uint32_t)round;
    bool sends = job->block < pairs->blocks.blocks;
    if (sends)
        PV_TRY(pv_parallel_tasks(ctx, pack_tasks, pack_columns, job));
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    if (sends) {
        uint32_t to = d->rank;
        while (d->share[to].end <= pairs->blocks.edges[job->block])
            to++;
        pv_group_send(ctx, to, mail->out.data, entries_of_block(pairs, job->block) * sizeof(float));
    }
    char *data = mail->in.data;
    for (size_t k = 0; k < mail->arrivals; k++)
        if (mail->arrival[k].round == round) {
            pv_group_receive(ctx, mail->arrival[k].sender, data, mail->arrival[k].bytes);
            data += mail->arrival[k].bytes;
        }
    PV_TRY(pv_group_move(ctx));
    data = mail->in.data;
    for (size_t k = 0; k < mail->arrivals; k++)
        if (mail->arrival[k].round == round) {
            take_arrival(job, &mail->arrival[k], data);
            data += mail->arrival[k].bytes;
        }
    return pv_check_cancel(ctx);
}

/* Mirrors the pattern, or the values. */
static psdvec_status mirror(pv_pairs *pairs, bool columns)
{
    mirror_job job = {.pairs = pairs, .columns = columns};
    PV_TRY(pv_parallel_tasks(pairs->ctx,
                             pairs->mail ? pairs->mail->first_sent : pairs->blocks.blocks,
                             mirror_block, &job));
    for (uint64_t round = 0; pairs->mail && round < pairs->mail->rounds; round++)
        PV_TRY(mirror_round(&job, round));
    return PSDVEC_OK;
}

/* Divides the columns into blocks. edges: most_blocks + 1. */
static uint32_t choose_edges(const make_job *job, uint32_t *edges)
{
    const pv_pairs *pairs = job->pairs;
    const pv_division *d = pairs->division;
    uint64_t most = pairs->count / block_share + 1, sum = 0;
    uint64_t sent = most > least_sent ? most : least_sent;
    uint32_t blocks = 0, member = d ? d->rank : 0;
    edges[0] = pairs->first;
    for (uint32_t j = pairs->first; j < pairs->n; j++) {
        bool other = d && j == d->share[member].end; /* the next member's */
        if (j > edges[blocks] &&
            (other || sum + job->below[j] > (d && member > d->rank ? sent : most))) {
            edges[++blocks] = j;
            sum = 0;
        }
        while (d && j >= d->share[member].end)
            member++;
        sum += job->below[j];
    }
    if (pairs->first < pairs->n)
        edges[++blocks] = (uint32_t)pairs->n;
    return blocks;
}

/* What this member sends to a later one: how its blocks in the columns of that member are cut, in
 * which round the first of them is sent, and the number of entries in each column. */
static psdvec_status announce(const make_job *job, const uint32_t *edges, uint32_t blocks,
                              uint32_t to, pv_buffer *out)
{
    const pv_pairs *pairs = job->pairs;
    pv_tiles theirs = pairs->division->share[to];
    uint32_t first = 0, end;
    while (first < blocks && edges[first] < theirs.first)
        first++;
    for (end = first; end < blocks && edges[end] < theirs.end;)
        end++;
    uint32_t head[2] = {first - pairs->mail->first_sent, end - first};
    PV_TRY(pv_buffer_append(out, head, sizeof head));
    for (uint32_t b = first; b < end; b++) {
        uint32_t last = edges[b + 1] - (uint32_t)theirs.first;
        PV_TRY(pv_buffer_append(out, &last, sizeof last));
    }
    return pv_buffer_append(out, job->below + theirs.first,
                            (theirs.end - theirs.first) * sizeof *job->below);
}

/* Takes what an earlier member has announced. */
static psdvec_status take_announcement(pv_pairs *pairs, uint32_t sender, const pv_buffer *in)
{
    pv_pairs_mail *mail = pairs->mail;
    uint32_t head[2], rows = pairs->matrix.rows, first = 0;
    if (in->length < sizeof head)
        return pv_fail(pairs->ctx, PSDVEC_ERR_INTERNAL, "process %u sends no pairs", sender);
    memcpy(head, in->data, sizeof head);
    const char *ends = in->data + sizeof head, *counts = ends + head[1] * sizeof(uint32_t);
    if (in->length != sizeof head + (head[1] + (size_t)rows) * sizeof(uint32_t))
        return pv_fail(pairs->ctx, PSDVEC_ERR_INTERNAL, "process %u sends other pairs", sender);
    for (uint32_t b = 0; b < head[1]; b++) {
        uint32_t end, count;
        memcpy(&end, ends + b * sizeof end, sizeof end);
        arrival a = {.round = head[0] + b, .sender = sender, .first = first, .end = end};
        for (uint32_t i = first; i < end && i < rows; i++) {
            memcpy(&count, counts + i * sizeof count, sizeof count);
            uint32_t *begin = mail->from_begin + (size_t)i * mail->senders + sender;
            begin[1] = begin[0] + count;
            a.bytes += count * sizeof(float);
        }
        first = end;
        PV_TRY(PV_RESERVE(&pairs->memory, mail->arrival, mail->arrival_room, mail->arrivals + 1));
        mail->arrival[mail->arrivals++] = a;
    }
    return PSDVEC_OK;
}

/* The largest number of bytes that arrive in one round. */
static uint64_t most_arriving(const pv_pairs_mail *mail)
{
    uint64_t most = 0;
    for (uint64_t round = 0; round < mail->rounds; round++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < mail->arrivals; k++)
            sum += mail->arrival[k].round == round ? mail->arrival[k].bytes : 0;
        most = pv_larger(most, sum);
    }
    return most;
}

/* Learns what other members will send, and how many entries each row has from each of them. */
static psdvec_status open_mail(make_job *job, const uint32_t *edges, uint32_t blocks)
{
    pv_pairs *pairs = job->pairs;
    psdvec_context *ctx = pairs->ctx;
    const pv_division *d = pairs->division;
    psdvec_status status;
    pv_buffer *out = pv_group_buffers(ctx), *in = pv_group_buffers(ctx);
    uint64_t *all = pv_alloc(ctx, d->members, sizeof *all, "the pairs");
    pv_pairs_mail *mail;
    pairs->mail = PV_TAKE_ZERO(&pairs->memory, mail, 1);
    if (!out || !in || !all || !mail) {
        status = pv_failure(ctx);
        goto done;
    }
    mail->senders = d->rank + 1;
    while (mail->first_sent < blocks && edges[mail->first_sent] < d->share[d->rank].end)
        mail->first_sent++;
    PV_TAKE(&pairs->memory, mail->column_count, pairs->n - pairs->first);
    PV_TAKE_ZERO(&pairs->memory, mail->from_begin, (size_t)pairs->matrix.rows * mail->senders);
    PV_TRY_DONE(pv_scope_status(&pairs->memory));
    memcpy(mail->column_count, job->below + pairs->first,
           (pairs->n - pairs->first) * sizeof *mail->column_count);
    for (uint32_t r = d->rank + 1; r < d->members; r++)
        PV_TRY_DONE(announce(job, edges, blocks, r, &out[r]));
    PV_TRY_DONE(pv_group_exchange(ctx, out, in));
    for (uint32_t r = 0; r < d->rank; r++)
        PV_TRY_DONE(take_announcement(pairs, r, &in[r]));
    PV_TRY_DONE(pv_group_meet(ctx, blocks - mail->first_sent, all));
    for (uint32_t r = 0; r < d->members; r++)
        mail->rounds = pv_larger(mail->rounds, all[r]);
done:
    pv_free(ctx, all);
    pv_group_buffers_free(ctx, out);
    pv_group_buffers_free(ctx, in);
    return status;
}

/* Where the entries of every row begin: those of earlier members, those of this one below the
 * diagonal, and those above it. */
static void set_begins(const make_job *job)
{
    pv_pairs *pairs = job->pairs;
    const pv_pairs_mail *mail = pairs->mail;
    for (uint32_t i = 0; i < pairs->matrix.rows; i++) {
        uint64_t begin = pairs->matrix.begin[i];
        pairs->near[i] = begin;
        if (mail)
            pairs->near[i] += mail->from_begin[(size_t)i * mail->senders + mail->senders - 1];
        pairs->middle[i] = pairs->near[i] + job->below[pairs->first + i];
        pairs->matrix.begin[i + 1] = pairs->middle[i] + pairs->upper[i + 1] - pairs->upper[i];
    }
}

/* ---- The dense head --------------------------------------------------------------- */
enum { head_step = 256 };
static const double head_density = 0.5;

/* The number of leading columns of these rows that are dense. */
static uint32_t head_width_of(const pv_pairs *pairs, uint32_t first, uint32_t end)
{
    uint32_t width = 0;
    while (width < pairs->n) {
        uint32_t next = pairs->n - width < head_step ? (uint32_t)pairs->n : width + head_step;
        uint64_t inside = 0;
        for (uint32_t i = first; i < end; i++) {
            const uint32_t *row = pairs->matrix.column + pairs->matrix.begin[i];
            uint64_t count = pairs->matrix.begin[i + 1] - pairs->matrix.begin[i];
            inside += pv_lower_bound(row, count, next) - pv_lower_bound(row, count, width);
            pv_trim_probed(pairs->ctx, i);
        }
        if ((double)inside < head_density * (double)((uint64_t)(end - first) * (next - width)))
            break;
        width = next;
    }
    return width;
}

static uint32_t rows_of_block(size_t rows, size_t block)
{
    size_t first = block * PV_HEAD_ROWS;
    return (uint32_t)(rows - first < PV_HEAD_ROWS ? rows - first : PV_HEAD_ROWS);
}

static size_t blocks_of(size_t rows)
{
    return (rows + PV_HEAD_ROWS - 1) / PV_HEAD_ROWS;
}

/* Makes head_width complete: each member has computed that of its blocks. */
static psdvec_status gather_widths(pv_pairs *pairs)
{
    const pv_division *d = pairs->division;
    if (!d)
        return PSDVEC_OK;
    PV_TRY(pv_group_meet(pairs->ctx, 0, NULL));
    size_t own = pairs->first / PV_HEAD_ROWS, size = sizeof *pairs->head_width;
    for (uint32_t r = 0; r < d->members; r++) {
        pv_tiles theirs = d->share[r];
        pv_group_send(pairs->ctx, r, pairs->head_width + own, blocks_of(pairs->matrix.rows) * size);
        pv_group_receive(pairs->ctx, r, pairs->head_width + theirs.first / PV_HEAD_ROWS,
                         blocks_of(theirs.end - theirs.first) * size);
    }
    return pv_group_move(pairs->ctx);
}

/* Limits the bytes of all heads, beginning with the first block: narrows those that do not fit. */
static void limit_widths(pv_pairs *pairs)
{
    uint64_t left = pairs->total * head_bytes_a_pair;
    for (size_t b = 0; b < blocks_of(pairs->n); b++) {
        uint64_t rows = rows_of_block(pairs->n, b);
        uint32_t width = 0;
        while (width < pairs->head_width[b]) {
            uint32_t next = pairs->n - width < head_step ? (uint32_t)pairs->n : width + head_step;
            if (rows * next * sizeof(float) > left)
                break;
            width = next;
        }
        pairs->head_width[b] = width;
        left -= rows * width * sizeof(float);
    }
}

size_t pv_segment_of(const pv_pairs *pairs, uint32_t member)
{
    return (size_t)((uint64_t)member * pairs->segments / pairs->division->members);
}

/* The first column after a segment. */
static uint32_t segment_end(const pv_pairs *pairs, size_t segment)
{
    const pv_division *d = pairs->division;
    uint32_t last = 0;
    while (d && last + 1 < d->members && pv_segment_of(pairs, last + 1) <= segment)
        last++;
    return (uint32_t)(d && segment + 1 < pairs->segments ? d->share[last].end : pairs->n);
}

/* Cuts the entries of each row that are not in the head. */
static psdvec_status set_segments(pv_pairs *pairs)
{
    const pv_division *d = pairs->division;
    size_t own = pairs->first / PV_HEAD_ROWS;
    pairs->segments = !d ? 1 : d->members < PV_SEGMENTS ? d->members : PV_SEGMENTS;
    PV_TAKE(&pairs->memory, pairs->cut, pairs->matrix.rows * (pairs->segments + 1));
    PV_TRY(pv_scope_status(&pairs->memory));
    for (uint32_t i = 0; i < pairs->matrix.rows; i++) {
        uint64_t *cut = pairs->cut + (size_t)i * (pairs->segments + 1);
        uint64_t begin = pairs->matrix.begin[i], end = pairs->matrix.begin[i + 1];
        const uint32_t *column = pairs->matrix.column;
        cut[0] = begin + pv_lower_bound(column + begin, end - begin,
                                        pairs->head_width[own + i / PV_HEAD_ROWS]);
        for (size_t s = 0; s < pairs->segments; s++)
            cut[s + 1] = cut[s] +
                         pv_lower_bound(column + cut[s], end - cut[s], segment_end(pairs, s));
        pv_trim_probed(pairs->ctx, i);
    }
    return PSDVEC_OK;
}

static psdvec_status set_head(pv_pairs *pairs, const char *folder, bool spill)
{
    psdvec_context *ctx = pairs->ctx;
    size_t blocks = blocks_of(pairs->matrix.rows), own = pairs->first / PV_HEAD_ROWS;
    pairs->head_blocks = (uint32_t)blocks;
    PV_TAKE_ZERO(&pairs->memory, pairs->head_width, blocks_of(pairs->n));
    PV_TAKE_ZERO(&pairs->memory, pairs->head_begin, blocks + 1);
    PV_TRY(pv_scope_status(&pairs->memory));
    for (size_t b = 0; b < blocks; b++) {
        uint32_t first = (uint32_t)b * PV_HEAD_ROWS;
        pairs->head_width[own + b] =
            head_width_of(pairs, first, first + rows_of_block(pairs->matrix.rows, b));
    }
    PV_TRY(gather_widths(pairs));
    limit_widths(pairs);
    for (size_t b = 0; b < blocks; b++)
        pairs->head_begin[b + 1] = pairs->head_begin[b] +
                                   (uint64_t)rows_of_block(pairs->matrix.rows, b) *
                                       pairs->head_width[own + b];
    PV_TRY(set_segments(pairs));
    PV_TRY(pv_large_alloc(ctx, pairs->head_begin[blocks], sizeof(float), folder, spill,
                          "the frequent words' pairs", &pairs->heads));
    pairs->head = pairs->heads.data;
    return PSDVEC_OK;
}

static psdvec_status fill_head(void *arg, size_t task, int worker)
{
    pv_pairs *pairs = arg;
    (void)worker;
    uint32_t first = (uint32_t)task * PV_HEAD_ROWS;
    uint32_t end = first + rows_of_block(pairs->matrix.rows, task);
    uint32_t width = pairs->head_width[pairs->first / PV_HEAD_ROWS + task];
    for (uint32_t i = first; i < end; i++) {
        float *row = pairs->head + pairs->head_begin[task] + (uint64_t)(i - first) * width;
        for (uint64_t k = pairs->matrix.begin[i]; k < pv_pairs_tail(pairs, i); k++)
            row[pairs->matrix.column[k]] = pairs->matrix.value[k];
        pv_trim(pairs->ctx);
    }
    return PSDVEC_OK;
}

psdvec_status pv_pairs_mirror(pv_pairs *pairs)
{
    PV_TRY(mirror(pairs, false));
    return pv_parallel_tasks(pairs->ctx, pairs->head_blocks, fill_head, pairs);
}

static pv_csr above_diagonal(const pv_pairs *pairs)
{
    return (pv_csr){.rows = pairs->matrix.rows,
                    .columns = (uint32_t)pairs->n,
                    .begin = pairs->middle,
                    .end = pairs->matrix.begin + 1,
                    .column = pairs->matrix.column};
}

/* Frequent words are in many pairs, and products of their vectors are cheaper to compute a tile at
 * a time. Among rare words this never pays off, so their tiles may be wide. */
static psdvec_status set_tiles(pv_pairs *pairs)
{
    enum { width = PV_TILE_COLUMNS, narrow = 40, most = most_tiles };
    uint32_t edges[most + 1] = {0}, count = 0, n = (uint32_t)pairs->n;
    while (count < narrow && edges[count] < n) {
        edges[count + 1] = n - edges[count] < width ? n : edges[count] + width;
        count++;
    }
    uint32_t left = n - edges[count], step = left / (most - narrow) + 1;
    if (step < width)
        step = width;
    while (edges[count] < n) {
        edges[count + 1] = n - edges[count] < step ? n : edges[count] + step;
        count++;
    }
    return pv_column_blocks_at(pairs->ctx, above_diagonal(pairs), edges, count, &pairs->tiles);
}

/* Bytes of the large arrays, at most. The head has at least half as many entries as cells. */
static uint64_t large_bytes(const pv_pairs *pairs)
{
    uint64_t entries = pairs->matrix.begin[pairs->matrix.rows];
    uint64_t head = pairs->total * head_bytes_a_pair, most = 2 * entries * sizeof(float);
    return pv_csr_bytes(entries) + pairs->count * 2 * sizeof(float) + (head < most ? head : most) +
           (pairs->mail ? pairs->mail->out.bytes + pairs->mail->in.bytes : 0);
}

static psdvec_status allocate(pv_pairs *pairs, const char *folder, bool spill)
{
    psdvec_context *ctx = pairs->ctx;
    pv_pairs_mail *mail = pairs->mail;
    PV_TRY(pv_csr_store_allocate(&pairs->matrix, folder, spill));
    PV_TRY(pv_large_alloc(ctx, pairs->count, sizeof(float), folder, spill, "the pairs' weights",
                          &pairs->weights));
    PV_TRY(pv_large_alloc(ctx, pairs->count, sizeof(float), folder, spill, "the pairs' targets",
                          &pairs->targets));
    pairs->weight = pairs->weights.data;
    pairs->target = pairs->targets.data;
    if (!mail)
        return PSDVEC_OK;
    PV_TRY(pv_large_alloc(ctx, mail->out.bytes, 1, folder, spill, "pairs to send", &mail->out));
    return pv_large_alloc(ctx, mail->in.bytes, 1, folder, spill, "pairs of others", &mail->in);
}

/* Lays out the rows: how many entries each has, and in which blocks they are mirrored. */
static psdvec_status lay_out(make_job *job, uint32_t *edges, uint32_t *blocks)
{
    pv_pairs *pairs = job->pairs;
    *blocks = choose_edges(job, edges);
    if (pairs->division) {
        PV_TRY(open_mail(job, edges, *blocks));
        pairs->mail->in.bytes = most_arriving(pairs->mail);
        for (uint32_t b = pairs->mail->first_sent; b < *blocks; b++) {
            uint64_t sum = 0;
            for (uint32_t j = edges[b]; j < edges[b + 1]; j++)
                sum += job->below[j];
            pairs->mail->out.bytes = pv_larger(pairs->mail->out.bytes, sum * sizeof(float));
        }
    }
    set_begins(job);
    return PSDVEC_OK;
}

psdvec_status pv_pairs_make(const pv_link *link, const pv_division *division, const char *folder,
                            uint64_t memory, bool start, pv_pairs **out)
{
    psdvec_status status;
    make_job job;
    uint32_t *edges = NULL, blocks;
    PV_TRY_DONE(open_job(&job, link, division, out));
    pv_pairs *pairs = *out;
    PV_TRY_DONE(count_pairs(&job));
    edges = pv_alloc(link->ctx, most_blocks(division) + 1, sizeof *edges, "the pairs");
    if (!edges)
        PV_TRY_DONE(pv_failure(link->ctx));
    PV_TRY_DONE(lay_out(&job, edges, &blocks));
    uint64_t large = large_bytes(pairs);
    bool spill = large > memory;
    pairs->spilled = spill ? large : 0;
    PV_TRY_DONE(allocate(pairs, folder, spill));
    job.fill = true;
    job.start = start;
    job.blocks.matrix.value32 = link->counts->rows.value32;
    job.blocks.matrix.value64 = link->counts->rows.value64;
    PV_TRY_DONE(walk_counts(&job));
    pv_progress_end(&job.progress);
    uint64_t others = atomic_load(&job.other);
    if (division)
        PV_TRY_DONE(pv_group_add(link->ctx, &others, 1));
    pairs->positive = others == 0;
    PV_TRY_DONE(
        pv_column_blocks_at(link->ctx, above_diagonal(pairs), edges, blocks, &pairs->blocks));
    PV_TRY_DONE(mirror(pairs, true));
    PV_TRY_DONE(set_tiles(pairs));
    status = set_head(pairs, folder, spill);
done:
    pv_free(link->ctx, edges);
    close_job(&job);
    return status;
}

void pv_pairs_free(pv_pairs *pairs)
{
    if (!pairs)
        return;
    psdvec_context *ctx = pairs->ctx;
    pv_csr_store_free(&pairs->matrix);
    pv_large_free(ctx, &pairs->weights);
    pv_large_free(ctx, &pairs->targets);
    pv_large_free(ctx, &pairs->heads);
    if (pairs->mail) {
        pv_large_free(ctx, &pairs->mail->out);
        pv_large_free(ctx, &pairs->mail->in);
    }
    pv_column_blocks_free(&pairs->blocks);
    pv_column_blocks_free(&pairs->tiles);
    pv_scope_free(&pairs->memory);
    pv_free(ctx, pairs);
}
