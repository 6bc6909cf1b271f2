/* The heap of answers. */
#include "model/best.h"

/* `heap` is in order except perhaps at `k`. */
static void sift_down(psdvec_neighbour *heap, size_t count, size_t k)
{
    psdvec_neighbour moved = heap[k];
    for (size_t child; (child = 2 * k + 1) < count; k = child) {
        if (child + 1 < count && pv_best_is_worse(&heap[child + 1], &heap[child]))
            child++;
        if (!pv_best_is_worse(&heap[child], &moved))
            break;
        heap[k] = heap[child];
    }
    heap[k] = moved;
}

static void sift_up(psdvec_neighbour *heap, size_t k)
{
    psdvec_neighbour moved = heap[k];
    for (; k > 0 && pv_best_is_worse(&moved, &heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = moved;
}

void pv_best_keep(pv_best *b, psdvec_neighbour answer)
{
    if (b->count < b->most) {
        b->heap[b->count] = answer;
        sift_up(b->heap, b->count++);
    } else {
        b->heap[0] = answer;
        sift_down(b->heap, b->count, 0);
    }
}

void pv_best_sort(pv_best *b)
{
    for (size_t left = b->count; left-- > 1;) { /* the worst goes to the end */
        psdvec_neighbour worst = b->heap[0];
        b->heap[0] = b->heap[left];
        b->heap[left] = worst;
        sift_down(b->heap, left, 0);
    }
}
