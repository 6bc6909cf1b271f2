/* Topics files, for the commands about topics. */
#include "topics.h"

#include "cell.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"

#include <stdlib.h>

int topics_open(struct run *run, const char *path, psdvec_topics **topics)
{
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_topics_open(run->ctx, path, topics);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

const char *topics_words(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most)
{
    psdvec_topic_word *words = must_alloc(most, sizeof *words);
    struct buffer text = {0};
    size_t found = 0, length;
    buffer_text(&text, "");
    if (psdvec_topics_words(run->ctx, topics, topic, most, words, &found) != PSDVEC_OK)
        out_of_memory(); /* there is no other reason */
    for (size_t k = 0; k < found; k++) {
        const char *word = psdvec_topics_word(topics, words[k].word, &length);
        buffer_text(&text, k ? " " : "");
        cell_text(&text, word, length);
    }
    free(words);
    return phrase_of(&text);
}
