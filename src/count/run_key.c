/* Keys of interrupted work. */
#include "count/run_key.h"

#include "base/platform.h"
#include "corpus/inputs.h"
#include "count/count.h"
#include "count/counts_read.h"
#include "count/provenance.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

psdvec_status pv_key_add_seed(pv_buffer *key)
{
    return pv_buffer_printf(key, "\nseed %llu\n", (unsigned long long)key->ctx->options.seed);
}

psdvec_status pv_key_add_file(pv_buffer *key, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return pv_fail_errno(key->ctx, PSDVEC_ERR_READ, "cannot read", path, errno);
    long long changed = pv_file_changed(&about), second = 1000000000;
    return pv_buffer_printf(key, "%s %llu %lld.%09lld\n", path, (unsigned long long)about.st_size,
                            changed / second, changed % second);
}

psdvec_status pv_key_add_counts(pv_buffer *key, const char *path)
{
    psdvec_counts *counts = NULL;
    psdvec_status status;
    PV_TRY_DONE(pv_counts_open(key->ctx, path, &counts));
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    PV_TRY_DONE(pv_buffer_printf(key, "counts %s %llu\n", digest ? digest : "without checksum",
                                 (unsigned long long)counts->info.file_bytes));
    if (!digest)
        status = pv_key_add_file(key, path);
done:
    psdvec_counts_close(counts);
    return status;
}

psdvec_status pv_key_add_text(pv_buffer *key, const psdvec_count_options *count,
                              const char *const *inputs, size_t input_count, const char *output,
                              bool *again)
{
    psdvec_context *ctx = key->ctx;
    pv_inputs files;
    pv_provenance provenance;
    psdvec_status status;
    pv_provenance_init(&provenance, ctx);
    PV_TRY(pv_inputs_expand(ctx, inputs, input_count, &files));
    *again = true;
    PV_TRY_DONE(pv_provenance_set(&provenance, count));
    PV_TRY_DONE(pv_buffer_printf(key, "%s\n%s\nmin_count %llu max_vocab %u\n", provenance.settings,
                                 provenance.vocabulary, (unsigned long long)count->min_count,
                                 count->max_vocab));
    if (count->vocab_file)
        PV_TRY_DONE(pv_key_add_file(key, count->vocab_file));
    for (size_t k = 0; k < count->keep_words_count; k++)
        PV_TRY_DONE(pv_buffer_printf(key, "keep %s\n", count->keep_words[k]));
    for (size_t k = 0; k < files.count; k++) {
        const pv_input_file *file = &files.files[k];
        const char *path = file->path;
        PV_TRY_DONE(pv_refuse_same_file(ctx, &path, 1, output));
        if (strcmp(path, "-") == 0 || file->modified == 0)
            *again = false;
        PV_TRY_DONE(pv_buffer_printf(key, "%s %llu %lld\n", path, (unsigned long long)file->size,
                                     (long long)file->modified));
    }
done:
    pv_provenance_free(&provenance);
    pv_inputs_free(&files);
    return status;
}
