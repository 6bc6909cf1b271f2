/* Mutations of safetensors files that keep them consistent, for fuzzers.
 *
 * Random changes of bytes hardly get past the header and never past a checksum. Therefore a file is
 * read into its metadata and tensors, these are changed (text, numbers, elements, sizes, types,
 * presence), and a new file is written with offsets, fillers and checksums that fit. A small share
 * of the results is left inconsistent on purpose, and input that is not a safetensors file is
 * changed as bytes.
 */
#ifndef TESTS_TENSOR_MUTATOR_H
#define TESTS_TENSOR_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes at most max_size bytes in place and returns their new number: LLVMFuzzerMutate. */
typedef size_t byte_mutator(uint8_t *data, size_t size, size_t max_size);

/* Both return the size of the result. The same seed gives the same changes, apart from those of
 * `mutate`. */
size_t tensor_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed,
                     byte_mutator *mutate);
/* The first file with some tensors and metadata of the second one. 0: there is no such file. */
size_t tensor_cross(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                    uint8_t *out, size_t max_size, unsigned seed);

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *out, size_t max_size, unsigned seed);

/* Makes libFuzzer use them in this fuzzer, whose inputs are complete files. */
#define TENSOR_MUTATOR                                                                             \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)     \
    {                                                                                              \
        return tensor_mutate(data, size, max_size, seed, LLVMFuzzerMutate);                        \
    }                                                                                              \
    size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,      \
                                     size_t two_size, uint8_t *out, size_t max_size,               \
                                     unsigned seed)                                                \
    {                                                                                              \
        return tensor_cross(one, one_size, two, two_size, out, max_size, seed);                    \
    }

#endif
