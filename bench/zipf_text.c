/* Writes text with the word frequencies and the vocabulary growth of natural language, for
 * measurements with more text than there is at hand (bench/scale.sh).
 *
 *     zipf_text WORDS [SEED]
 *
 * Ranks follow a Zipf-Mandelbrot distribution without an end, P(rank > r) = (q / (r + q))^(s - 1)
 * with s = 1.3 and q = 10, so the number of distinct words grows with the power 1/s of the length of
 * the text (Heaps' law). A line is a document of 1 to 4,800 words with a topic: an eighth of its words
 * beyond the 100 most frequent ranks are those of its topic, every 400th word. Without topics, far
 * more different pairs of words would occur than in natural text. A word is its rank, written with
 * letters.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TOPICS = 400,
    COMMON = 100,
    SHARE = 8, /* one in so many words is one of the topic */
    LETTERS = 4,
    LONGEST_DOCUMENT = 4800,
    LONGEST_WORD = 32
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t draw_rank(uint64_t *state)
{
    for (;;) {
        double u = ((double)(next(state) >> 11) + 0.5) / 9007199254740992.0;
        double rank = 10 * (1 / (u * u * u * cbrt(u)) - 1); /* q (u^(-1 / (s - 1)) - 1) */
        if (rank < 1e12)
            return (uint64_t)rank;
    }
}

/* Writes the letters of a number and a separator; returns the end. */
static char *put_word(char *out, uint64_t rank, char end)
{
    do {
        *out++ = (char)("aeiostrn"[rank % LETTERS]);
        rank /= LETTERS;
    } while (rank-- > 0);
    *out++ = end;
    return out;
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    char *out = buffer;
    uint64_t words = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (words == 0) {
        fprintf(stderr, "zipf_text WORDS [SEED]\n");
        return 2;
    }
    for (uint64_t left = 0, topic = 0; words > 0; words--) {
        if (left == 0) {
            left = next(&state) % LONGEST_DOCUMENT + 1;
            topic = next(&state) % TOPICS;
        }
        uint64_t rank = draw_rank(&state);
        if (rank >= COMMON && next(&state) % SHARE == 0)
            rank = COMMON + (rank - COMMON) / TOPICS * TOPICS + topic;
        left--;
        out = put_word(out, rank, left == 0 || words == 1 ? '\n' : ' ');
        if (out > buffer + sizeof buffer - LONGEST_WORD) {
            fwrite(buffer, 1, (size_t)(out - buffer), stdout);
            out = buffer;
        }
    }
    fwrite(buffer, 1, (size_t)(out - buffer), stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
