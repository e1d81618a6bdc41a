/* What numba's code calls besides the C library. */

#include <stdint.h>

/* Sizes have 64 bits on every target, as in numba's code. array.reshape(-1) of a C-contiguous array: its new strides, without a copy. Returns 1 where that is possible. */
int numba_attempt_nocopy_reshape(int64_t old_dimensions, const int64_t *old_shape, const int64_t *old_strides,
                                 int64_t new_dimensions, const int64_t *new_shape, int64_t *new_strides,
                                 int64_t item_size, int is_fortran_order) {
    int64_t stride = item_size, expected = item_size;
    for (int64_t d = old_dimensions - 1; d >= 0; d--) {
        if (old_shape[d] != 1 && old_strides[d] != expected) return 0;
        expected *= old_shape[d];
    }
    for (int64_t d = new_dimensions - 1; d >= 0; d--) {
        new_strides[d] = stride;
        stride *= new_shape[d];
    }
    return !is_fortran_order;
}
