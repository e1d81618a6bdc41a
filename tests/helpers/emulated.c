/* Calls functions of a library for another program that says on its standard input which, and with what.

   A request: the length of a name and the name; numbers of slots, pointers, results and bytes; the slots, the numbers of
   those that are places in the bytes, the bytes. The answer: the slots of the results, then the bytes. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void take(void *into, size_t size) {
    if (fread(into, 1, size, stdin) != size) exit(feof(stdin) ? 0 : 1);
}

static int64_t number(void) {
    int64_t taken;
    take(&taken, sizeof taken);
    return taken;
}

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    for (;;) {
        int64_t length = number();
        char name[256] = {0};
        if (length >= (int64_t)sizeof name) return 1;
        take(name, length);
        int64_t slots = number(), pointers = number(), results = number(), size = number();
        int64_t *slot = calloc(slots + results + 1, sizeof *slot), *pointer = malloc((pointers + 1) * sizeof *pointer);
        char *bytes = aligned_alloc(64, (size + 64) & ~(int64_t)63);
        take(slot, slots * sizeof *slot);
        take(pointer, pointers * sizeof *pointer);
        take(bytes, size);
        for (int64_t k = 0; k < pointers; k++) slot[pointer[k]] += (int64_t)bytes;
        int (*function)(int64_t *) = (int (*)(int64_t *))dlsym(library, name);
        if (!function || function(slot)) return fprintf(stderr, "%s failed\n", name), 1;
        fwrite(slot + slots, sizeof *slot, results, stdout);
        fwrite(bytes, 1, size, stdout);
        fflush(stdout);
        free(slot);
        free(pointer);
        free(bytes);
    }
}
