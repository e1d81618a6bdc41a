/* What numba's code calls besides the C library. */

#include <stdint.h>

/* array.reshape(-1) of a C-contiguous array: its new strides, without a copy. Returns 1 where that is possible. */
int numba_attempt_nocopy_reshape(intptr_t old_dimensions, const intptr_t *old_shape, const intptr_t *old_strides,
                                 intptr_t new_dimensions, const intptr_t *new_shape, intptr_t *new_strides,
                                 intptr_t item_size, int is_fortran_order) {
    intptr_t stride = item_size, expected = item_size;
    for (intptr_t d = old_dimensions - 1; d >= 0; d--) {
        if (old_shape[d] != 1 && old_strides[d] != expected) return 0;
        expected *= old_shape[d];
    }
    for (intptr_t d = new_dimensions - 1; d >= 0; d--) {
        new_strides[d] = stride;
        stride *= new_shape[d];
    }
    return !is_fortran_order;
}
