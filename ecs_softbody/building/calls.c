/* Calls compiled kernels with the arrays and numbers of Python: checks them, frees the GIL, returns what they return.

   The functions of Python are declared here, since its headers are often not installed. All belong to the stable ABI
   of 3.11 and later. An array of numpy begins as `Array` says, in numpy 1 and 2. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef struct Type Type;
typedef struct { intptr_t references; Type *type; } Object;
typedef Object *(*Fast)(Object *self, Object *const *arguments, intptr_t count);
typedef struct { const char *name; void *function; int flags; const char *text; } Method;
typedef struct { Object head; void *init; intptr_t index; Object *copy; } ModuleBase;
typedef struct {
    ModuleBase base;
    const char *name, *text;
    intptr_t size;
    Method *methods;
    void *slots, *traverse, *clear, *free;
} Module;
typedef struct { Object head; Type *item; char kind, letter, order, flags; int number; } Element;
typedef struct {
    Object head;
    char *data;
    int dimensions;
    intptr_t *shape, *strides;
    Object *base;
    Element *element;
    int flags;
} Array;

#ifdef _WIN32
#define FROM_PYTHON extern __declspec(dllimport)
#define FOR_PYTHON __declspec(dllexport)
#else
#define FROM_PYTHON extern
#define FOR_PYTHON __attribute__((visibility("default")))
#endif

FROM_PYTHON Object _Py_NoneStruct;
FROM_PYTHON Object *PyExc_TypeError, *PyExc_RuntimeError, *PyExc_ValueError;
Object *PyModuleDef_Init(Module *);
Object *PyImport_ImportModule(const char *);
Object *PyObject_GetAttrString(Object *, const char *);
Object *PyCMethod_New(Method *, Object *, Object *, Type *);
Object *PyCFunction_GetSelf(Object *);
Object *PyCapsule_New(void *, const char *, void (*)(Object *));
void *PyCapsule_GetPointer(Object *, const char *);
int PyCapsule_IsValid(Object *, const char *);
Object *PyErr_Format(Object *, const char *, ...);
Object *PyErr_Occurred(void);
Object *PyErr_NoMemory(void);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
double PyFloat_AsDouble(Object *);
Object *PyFloat_FromDouble(double);
long long PyLong_AsLongLong(Object *);
void *PyLong_AsVoidPtr(Object *);
Object *PyLong_FromLongLong(long long);
Object *PyLong_FromLong(long);
Object *PyBool_FromLong(long);
int PyObject_IsTrue(Object *);
Object *PyTuple_New(intptr_t);
intptr_t PyTuple_Size(Object *);
Object *PyTuple_GetItem(Object *, intptr_t);
int PyTuple_SetItem(Object *, intptr_t, Object *);
const char *PyUnicode_AsUTF8AndSize(Object *, intptr_t *);
Object *PyBytes_FromStringAndSize(const char *, intptr_t);
int PyBytes_AsStringAndSize(Object *, char **, intptr_t *);
Object *PyList_New(intptr_t);
intptr_t PyList_Size(Object *);
Object *PyList_GetItem(Object *, intptr_t);
int PyList_Append(Object *, Object *);
intptr_t PyDict_Size(Object *);
int PyDict_Next(Object *, intptr_t *, Object **, Object **);
unsigned long PyType_GetFlags(Type *);
int PyType_IsSubtype(Type *, Type *);
void Py_IncRef(Object *);
void Py_DecRef(Object *);

enum { FASTCALL = 0x0080, IS_LIST = 1 << 25, IS_TUPLE = 1 << 26, IS_BYTES = 1 << 27, IS_DICT = 1 << 29 };
enum { UINT8 = 2, CONTIGUOUS = 0x0001, ALIGNED = 0x0100, WRITEABLE = 0x0400, VOID = 20, MOST_SLOTS = 256, DEEPEST = 16, REPEATED = 8, LARGE = 1 << 15, START = 64 };
static const char ENTRY[] = "ecs_softbody.entry", BOUND[] = "ecs_softbody.bound";
static Type *array_type;

/* One word of a signature (signatures.py). */
typedef struct { char kind; int size, dimensions, members; Element *seen; } Word;

typedef struct {
    int (*run)(int64_t *slots);
    int words, arguments, results, returns_tuple;
    Method method;
    Word word[];
} Entry;

/* An entry whose first arguments stay the same: their slots, and the objects that own their memory. */
typedef struct {
    Entry *entry;
    Object *function, **kept;
    Method method;
    int words, slots, arguments;
    int64_t slot[];
} Bound;

/* Return the size in bytes of numpy's element type `number`; 0 where it is not one of ours. */
static int size_of(int number) {
    static const int sizes[] = {1, 1, 1, 2, 2, 4, 4, sizeof(long), sizeof(long), 8, 8, 4, 8};
    return number >= 0 && number < (int)(sizeof sizes / sizeof *sizes) ? sizes[number] : 0;
}

static int fits(Word *word, Array *array) {
    Element *element = array->element;
    if (array->dimensions != word->dimensions || element->kind != word->kind) return 0;
    if ((array->flags & (CONTIGUOUS | ALIGNED)) != (CONTIGUOUS | ALIGNED) || element->order == '>') return 0;
    if (element == word->seen || size_of(element->number) == word->size) return 1;
    if (element->number != VOID) return 0;
    Object *size = PyObject_GetAttrString(&element->head, "itemsize");
    int is_right = size && PyLong_AsLongLong(size) == word->size;
    if (size) Py_DecRef(size);
    if (is_right && !word->seen) {
        word->seen = element;
        Py_IncRef(&element->head);
    }
    return is_right;
}

static int refuse(Entry *entry, Word *word, int argument) {
    if (word->kind == '(') {
        PyErr_Format(PyExc_TypeError, "%s(): argument %d has to be a tuple of %d", entry->method.name, argument + 1,
                     word->members);
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s(): argument %d (array %d of its signature) has to be C-contiguous, of type %c%d with %d dimension(s)",
                 entry->method.name, argument + 1, (int)(word - entry->word) + 1, word->kind, word->size,
                 word->dimensions);
    return 0;
}

static int is_array(Object *value) { return value->type == array_type || PyType_IsSubtype(value->type, array_type); }

/* Write the slots of one argument; return 0 with an exception where it does not fit. */
static int take(Entry *entry, Object *value, Word **next, int64_t **slot, int argument) {
    Word *word = (*next)++;
    if (word->dimensions) {
        Array *array = (Array *)value;
        if (!is_array(value)) return refuse(entry, word, argument);
        if (!fits(word, array)) return PyErr_Occurred() ? 0 : refuse(entry, word, argument);
        *(*slot)++ = (int64_t)(intptr_t)array->data;
        for (int d = 0; d < word->dimensions; d++) *(*slot)++ = array->shape[d];
        return 1;
    }
    switch (word->kind) {
    case '(':
        if (!(PyType_GetFlags(value->type) & IS_TUPLE) || PyTuple_Size(value) != word->members)
            return refuse(entry, word, argument);
        for (int k = 0; k < word->members; k++)
            if (!take(entry, PyTuple_GetItem(value, k), next, slot, argument)) return 0;
        return 1;
    case 'f': {
        double number = PyFloat_AsDouble(value);
        memcpy((*slot)++, &number, sizeof number);
        return !(number == -1.0 && PyErr_Occurred());
    }
    case 'i':
        **slot = PyLong_AsLongLong(value);
        return !(*(*slot)++ == -1 && PyErr_Occurred());
    default:
        **slot = PyObject_IsTrue(value);
        return *(*slot)++ >= 0;
    }
}

static Object *result_of(Word *word, int64_t *slot) {
    double number;
    switch (word->kind) {
    case 'f':
        memcpy(&number, slot, sizeof number);
        return PyFloat_FromDouble(number);
    case 'i':
        return PyLong_FromLongLong(*slot);
    default:
        return PyBool_FromLong(*slot != 0);
    }
}

static Object *finish(Entry *entry, int64_t *slots, int64_t *results) {
    void *thread = PyEval_SaveThread();
    int status = entry->run(slots);
    PyEval_RestoreThread(thread);
    if (status) return PyErr_Format(PyExc_RuntimeError, "%s() failed (status %d)", entry->method.name, status);
    Word *word = entry->word + entry->words - entry->results;
    if (!entry->results) {
        Py_IncRef(&_Py_NoneStruct);
        return &_Py_NoneStruct;
    }
    if (!entry->returns_tuple) return result_of(word, results);
    Object *tuple = PyTuple_New(entry->results);
    for (int k = 0; tuple && k < entry->results; k++) PyTuple_SetItem(tuple, k, result_of(word + k, results + k));
    return tuple;
}

static Object *call_entry(Object *self, Object *const *arguments, intptr_t count) {
    Entry *entry = PyCapsule_GetPointer(self, ENTRY);
    int64_t slots[MOST_SLOTS], *slot = slots;
    Word *word = entry->word;
    if (count != entry->arguments)
        return PyErr_Format(PyExc_TypeError, "%s() takes %d arguments, got %zd", entry->method.name, entry->arguments, count);
    for (int k = 0; k < count; k++)
        if (!take(entry, arguments[k], &word, &slot, k)) return NULL;
    return finish(entry, slots, slot);
}

static Object *call_bound(Object *self, Object *const *arguments, intptr_t count) {
    Bound *bound = PyCapsule_GetPointer(self, BOUND);
    Entry *entry = bound->entry;
    int64_t slots[MOST_SLOTS], *slot = slots + bound->slots;
    Word *word = entry->word + bound->words;
    if (count != entry->arguments - bound->arguments)
        return PyErr_Format(PyExc_TypeError, "%s() takes %d more arguments, got %zd", entry->method.name,
                            entry->arguments - bound->arguments, count);
    memcpy(slots, bound->slot, bound->slots * sizeof *slots);
    for (int k = 0; k < count; k++)
        if (!take(entry, arguments[k], &word, &slot, bound->arguments + k)) return NULL;
    return finish(entry, slots, slot);
}

static void drop_bound(Object *capsule) {
    Bound *bound = PyCapsule_GetPointer(capsule, BOUND);
    for (int k = 0; k < bound->arguments; k++) Py_DecRef(bound->kept[k]);
    Py_DecRef(bound->function);
    free(bound->kept);
    free(bound);
}

static Object *function_of(Method *method, void *call, void *content, const char *kind, void (*drop)(Object *)) {
    Object *capsule = PyCapsule_New(content, kind, drop);
    if (!capsule) return NULL;
    *method = (Method){method->name, call, FASTCALL, NULL};
    Object *function = PyCMethod_New(method, capsule, NULL, NULL);
    Py_DecRef(capsule);
    return function;
}

/* Read the words of a signature into `word`, or count them where it is NULL; return how many, -1 for brackets that
   do not fit or are nested too deeply. */
static int parse(const char *text, Word *word, int *arguments, int *results, int *returns_tuple) {
    int count = 0, depth = 0, open[DEEPEST], is_result = 0;
    *arguments = *results = *returns_tuple = 0;
    for (char piece[24]; sscanf(text, " %23s", piece) == 1; text = strstr(text, piece) + strlen(piece)) {
        if (*piece == '>') { is_result = 1; continue; }
        if (*piece == ')' ? --depth < 0 : *piece == '(' && depth == DEEPEST) return -1;
        if (*piece == ')') continue;
        if (is_result && *piece == '(') { *returns_tuple = 1; depth++; continue; }
        if (is_result) (*results)++;
        else if (!depth) (*arguments)++;
        else if (word) word[open[depth - 1]].members++;
        if (word) {
            word[count] = (Word){*piece, 0, 0, 0, NULL};
            sscanf(piece + 1, "%d:%d", &word[count].size, &word[count].dimensions);
        }
        if (*piece == '(') open[depth++] = count;
        count++;
    }
    return count;
}

/* entry(address, name, signature): a function of Python for a function of the library; it lives for ever. */
static Object *make_entry(Object *self, Object *const *arguments, intptr_t count) {
    void *address = count == 3 ? PyLong_AsVoidPtr(arguments[0]) : NULL;
    const char *name = count == 3 ? PyUnicode_AsUTF8AndSize(arguments[1], NULL) : NULL;
    const char *text = name ? PyUnicode_AsUTF8AndSize(arguments[2], NULL) : NULL;
    int given, results, returns_tuple, slots = 0;
    if (!address || !text) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "entry(address, name, signature)");
    int words = parse(text, NULL, &given, &results, &returns_tuple);
    if (words < 0) return PyErr_Format(PyExc_ValueError, "%s() has a signature with wrong brackets", name);
    Entry *entry = calloc(1, sizeof *entry + words * sizeof(Word));
    if (!entry) return PyErr_NoMemory();
    *entry = (Entry){(int (*)(int64_t *))address, words, given, results, returns_tuple, {strdup(name)}};
    parse(text, entry->word, &given, &results, &returns_tuple);
    for (int k = 0; k < words; k++) slots += 1 + entry->word[k].dimensions;
    if (slots > MOST_SLOTS) return PyErr_Format(PyExc_ValueError, "%s() has too many arguments", name);
    return function_of(&entry->method, call_entry, entry, ENTRY, NULL);
}

/* bind(entry, *arguments): a function that takes the other arguments. */
static Object *make_bound(Object *self, Object *const *arguments, intptr_t count) {
    Object *capsule = count > 0 ? PyCFunction_GetSelf(arguments[0]) : NULL;
    if (!capsule || !PyCapsule_IsValid(capsule, ENTRY)) return PyErr_Format(PyExc_TypeError, "bind(entry, *arguments)");
    Entry *entry = PyCapsule_GetPointer(capsule, ENTRY);
    int64_t slots[MOST_SLOTS], *slot = slots;
    Word *word = entry->word;
    int given = (int)count - 1;
    if (given > entry->arguments) return PyErr_Format(PyExc_TypeError, "%s() takes %d arguments", entry->method.name, entry->arguments);
    for (int k = 0; k < given; k++)
        if (!take(entry, arguments[k + 1], &word, &slot, k)) return NULL;
    int used = (int)(slot - slots);
    Bound *bound = malloc(sizeof *bound + used * sizeof *slots);
    Object **kept = malloc((given ? given : 1) * sizeof *kept);
    if (!bound || !kept) return PyErr_NoMemory();
    *bound = (Bound){entry, arguments[0], kept, {entry->method.name}, (int)(word - entry->word), used, given};
    memcpy(bound->slot, slots, used * sizeof *slots);
    Py_IncRef(bound->function);
    for (int k = 0; k < given; k++) Py_IncRef(kept[k] = arguments[k + 1]);
    return function_of(&bound->method, call_bound, bound, BOUND, drop_bound);
}

static int is_a(Object *value, unsigned long kind) { return (PyType_GetFlags(value->type) & kind) != 0; }

/* Return where the bytes of member k, a row of uint8, are; NULL with an exception for anything else. */
static char *bytes_of(Object *arrays, intptr_t k, intptr_t *size) {
    Array *array = (Array *)PyTuple_GetItem(arrays, k);
    if (!is_array(&array->head) || array->dimensions != 1 || array->element->number != UINT8 || !(array->flags & CONTIGUOUS)) {
        PyErr_Format(PyExc_TypeError, "array %zd is no contiguous row of bytes", k);
        return NULL;
    }
    *size = array->shape[0];
    return array->data ? array->data : "";
}

/* Return what an argument, bytes or None, points to, NULL for None. */
static const char *flags_of(Object *value, intptr_t count) {
    char *flags = NULL;
    intptr_t size = 0;
    if (value == &_Py_NoneStruct || PyBytes_AsStringAndSize(value, &flags, &size) < 0) return NULL;
    if (size >= count) return flags;
    PyErr_Format(PyExc_ValueError, "%zd flags for %zd arrays", size, count);
    return NULL;
}

static int are_tuples(Object *const *arguments, int count) {
    for (int k = 0; k < count; k++)
        if (!is_a(arguments[k], IS_TUPLE) || PyTuple_Size(arguments[k]) != PyTuple_Size(arguments[0])) {
            PyErr_Format(PyExc_TypeError, "argument %d has to be a tuple as long as the first", k + 1);
            return 0;
        }
    return 1;
}

/* Return how many arrays the first of some tuples of a function has, -1 with an exception where arguments do not fit. */
static intptr_t count_arrays(Object *const *arguments, intptr_t count, int tuples, const char *text, const char **steady) {
    if (count != tuples + 1) PyErr_Format(PyExc_TypeError, "%s", text);
    else if (are_tuples(arguments, tuples)) *steady = flags_of(arguments[tuples], PyTuple_Size(arguments[0]));
    return PyErr_Occurred() ? -1 : PyTuple_Size(arguments[0]);
}

/* Whether all words of 8 bytes are the first one. Only one place in memory is read, where to compare reads two. */
static int repeats(const char *bytes, intptr_t size) {
    return size > REPEATED && !memcmp(bytes, bytes + REPEATED, size - REPEATED);
}

/* Whether `content`, all bytes or the first of those that repeat, is what is there. */
static int is_there(const char *now, intptr_t size, const char *content, intptr_t length) {
    if (length == size) return !memcmp(now, content, size);
    return length == REPEATED && size > length && !memcmp(now, content, length) && repeats(now, size);
}

/* An array of `keep` or `put_back`. */
typedef struct {
    Object *likely, *copy;    /* the content before; bytes for what has changed for certain, or NULL */
    char *now, *then, *room;  /* `size` bytes of the array; `known` bytes of a content, or NULL; those of `copy` */
    intptr_t size, known;
    int is_same;
} Row;

/* Copy bytes that nobody reads soon past the caches: memory that is written in the usual way is read first. */
static void copy_past(char *there, const char *now, intptr_t size) {
    intptr_t done = -(intptr_t)there & 15;
    memcpy(there, now, done);
#if defined(__x86_64__)
    for (; done + 64 <= size; done += 64)
        for (intptr_t k = done; k < done + 64; k += 16)
            _mm_stream_si128((__m128i *)(there + k), _mm_loadu_si128((const __m128i *)(now + k)));
    _mm_sfence();
#endif
    memcpy(there + done, now + done, size - done);
}

static Row *rows_for(intptr_t count) {
    Row *rows = calloc(count + 1, sizeof *rows);
    if (!rows) PyErr_NoMemory();
    return rows;
}

/* Say of row k what is there and what is likely, and make room where its beginning tells that all of it is new. */
static int begin_row(Row *row, Object *const *arguments, intptr_t k, const char *steady) {
    row->likely = PyTuple_GetItem(arguments[1], k);
    if (!(row->now = bytes_of(arguments[0], k, &row->size))) return 0;
    if (is_a(row->likely, IS_BYTES)) PyBytes_AsStringAndSize(row->likely, &row->then, &row->known);
    row->is_same = row->then && steady && steady[k] &&
                   (row->known == row->size || (row->known == REPEATED && row->size > row->known));
    if (row->is_same || row->size < LARGE || repeats(row->now, START)) return 1;
    if (row->then && row->known == row->size && !memcmp(row->now, row->then, START)) return 1;
    return (row->copy = PyBytes_FromStringAndSize(NULL, row->size)) &&
           !PyBytes_AsStringAndSize(row->copy, &row->room, &row->size);
}

/* Find out whether a row is what is likely, and copy it where there is room. Python may run meanwhile. */
static void look_at(Row *row) {
    if (row->is_same) return;
    if (row->copy) {
        copy_past(row->room, row->now, row->size);
        return;
    }
    row->is_same = row->then && is_there(row->now, row->size, row->then, row->known);
    if (!row->is_same && repeats(row->now, row->size)) row->size = REPEATED;
}

/* keep(arrays, likely, steady): what many.py says. */
static Object *keep(Object *self, Object *const *arguments, intptr_t count) {
    const char *steady = NULL;
    intptr_t arrays = count_arrays(arguments, count, 2, "keep(arrays, likely, steady)", &steady), begun = 0;
    Row *rows = arrays < 0 ? NULL : rows_for(arrays);
    if (!rows) return NULL;
    while (begun < arrays && begin_row(rows + begun, arguments, begun, steady)) begun++;
    Object *kept = begun == arrays ? PyTuple_New(arrays) : NULL, *both = kept ? PyTuple_New(2) : NULL;
    if (both) {
        void *thread = PyEval_SaveThread();
        for (intptr_t k = 0; k < arrays; k++) look_at(rows + k);
        PyEval_RestoreThread(thread);
        PyTuple_SetItem(both, 0, kept);
    }
    long long copied = 0;
    for (intptr_t k = 0; k < begun; k++) {
        Row *row = rows + k;
        if (!both) {
            if (row->copy) Py_DecRef(row->copy);
            continue;
        }
        if (row->is_same) Py_IncRef(row->likely);
        else copied += row->size;
        Object *content = row->is_same ? row->likely : row->copy;
        PyTuple_SetItem(kept, k, content ? content : PyBytes_FromStringAndSize(row->now, row->size));
    }
    free(rows);
    if (!both) return NULL;
    PyTuple_SetItem(both, 1, PyLong_FromLongLong(copied));
    if (!PyErr_Occurred()) return both;
    Py_DecRef(both);
    return NULL;
}

/* Write a content to a row; to compare is faster than to write what is there. */
static void write_row(Row *row) {
    if (row->is_same || is_there(row->now, row->size, row->then, row->known)) return;
    memcpy(row->now, row->then, row->known);
    for (intptr_t done = row->known; done < row->size; done *= 2)
        memcpy(row->now + done, row->now, done < row->size - done ? done : row->size - done);
}

/* put_back(arrays, contents, there, steady): what many.py says. */
static Object *put_back(Object *self, Object *const *arguments, intptr_t count) {
    const char *steady = NULL;
    intptr_t arrays = count_arrays(arguments, count, 3, "put_back(arrays, contents, there, steady)", &steady), k = 0;
    Row *rows = arrays < 0 ? NULL : rows_for(arrays);
    for (; rows && k < arrays; k++) {
        Row *row = rows + k;
        Object *content = PyTuple_GetItem(arguments[1], k);
        if (!(row->now = bytes_of(arguments[0], k, &row->size))) break;
        if (PyBytes_AsStringAndSize(content, &row->then, &row->known) < 0) break;
        if (row->known != row->size && (row->known != REPEATED || row->size < row->known)) {
            PyErr_Format(PyExc_ValueError, "array %zd has another size than its content", k);
            break;
        }
        row->is_same = steady && steady[k] && content == PyTuple_GetItem(arguments[2], k);
    }
    if (rows && k == arrays) {
        void *thread = PyEval_SaveThread();
        for (k = 0; k < arrays; k++) write_row(rows + k);
        PyEval_RestoreThread(thread);
    }
    free(rows);
    if (PyErr_Occurred()) return NULL;
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

/* same(one, other): what many.py says. */
static Object *are_same(Object *self, Object *const *arguments, intptr_t count) {
    Array *arrays[2];
    intptr_t bytes[2];
    if (count != 2) return PyErr_Format(PyExc_TypeError, "same(one, other)");
    for (int k = 0; k < 2; k++) {
        arrays[k] = (Array *)arguments[k];
        if (!is_array(&arrays[k]->head) || !(arrays[k]->flags & CONTIGUOUS))
            return PyErr_Format(PyExc_TypeError, "same(one, other): two contiguous arrays");
        bytes[k] = size_of(arrays[k]->element->number);
        for (int d = 0; d < arrays[k]->dimensions; d++) bytes[k] *= arrays[k]->shape[d];
    }
    return PyBool_FromLong(bytes[0] == bytes[1] && !memcmp(arrays[0]->data, arrays[1]->data, bytes[0]));
}

/* writeable(arrays): what many.py says. */
static Object *find_writeable(Object *self, Object *const *arguments, intptr_t count) {
    if (count != 1 || !is_a(arguments[0], IS_TUPLE)) return PyErr_Format(PyExc_TypeError, "writeable(arrays)");
    intptr_t arrays = PyTuple_Size(arguments[0]), size;
    Object *found = PyBytes_FromStringAndSize(NULL, arrays);
    char *flags = NULL;
    if (!found || PyBytes_AsStringAndSize(found, &flags, &size) < 0) return NULL;
    for (intptr_t k = 0; k < arrays; k++) {
        Array *array = (Array *)PyTuple_GetItem(arguments[0], k);
        if (!is_array(&array->head)) {
            Py_DecRef(found);
            return PyErr_Format(PyExc_TypeError, "member %zd is no array", k);
        }
        flags[k] = (array->flags & WRITEABLE) != 0;
    }
    return found;
}

/* Return the keys of what differs between two dicts, None where they have other keys, or in another order. */
static Object *differing_keys(Object *now, Object *then) {
    intptr_t at = 0, other = 0;
    Object *key, *value, *key_then, *value_then, *found = NULL;
    int is_other = PyDict_Size(now) != PyDict_Size(then);
    while (!is_other && PyDict_Next(now, &at, &key, &value) && PyDict_Next(then, &other, &key_then, &value_then)) {
        is_other = key != key_then;
        if (value == value_then || is_other) continue;
        if (!found && !(found = PyList_New(0))) return NULL;
        if (PyList_Append(found, key) < 0) is_other = 1;
    }
    if (!is_other) return found;
    if (found) Py_DecRef(found);
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

static Object *differing_items(Object *now, Object *then) {
    intptr_t size = PyList_Size(now), k = 0;
    if (size == PyList_Size(then))
        while (k < size && PyList_GetItem(now, k) == PyList_GetItem(then, k)) k++;
    else k = -1;
    if (k == size) return NULL;
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

/* differing(now, then): what many.py says. */
static Object *differing(Object *self, Object *const *arguments, intptr_t count) {
    if (count != 2 || !is_a(arguments[0], IS_LIST) || !is_a(arguments[1], IS_LIST))
        return PyErr_Format(PyExc_TypeError, "differing(now, then)");
    intptr_t pairs = PyList_Size(arguments[0]);
    if (pairs != PyList_Size(arguments[1])) return PyErr_Format(PyExc_ValueError, "differing(now, then): other lengths");
    Object *found = PyList_New(0);
    for (intptr_t k = 0; found && k < pairs; k++) {
        Object *now = PyList_GetItem(arguments[0], k), *then = PyList_GetItem(arguments[1], k), *what = NULL;
        if (is_a(now, IS_DICT) && is_a(then, IS_DICT)) what = differing_keys(now, then);
        else if (is_a(now, IS_LIST) && is_a(then, IS_LIST)) what = differing_items(now, then);
        else if (now != then) Py_IncRef(what = &_Py_NoneStruct);
        if (!what) continue;
        Object *pair = PyTuple_New(2);
        if (!pair) return NULL;
        PyTuple_SetItem(pair, 0, PyLong_FromLongLong(k));
        PyTuple_SetItem(pair, 1, what);
        PyList_Append(found, pair);
        Py_DecRef(pair);
    }
    return found;
}

#if defined(__x86_64__)
enum { A, B, C, D };

static int has(unsigned leaf, int part, unsigned bits) {
    unsigned found[4];
    __asm__("cpuid" : "=a"(found[A]), "=b"(found[B]), "=c"(found[C]), "=d"(found[D]) : "a"(leaf), "c"(0));
    return (found[part] & bits) == bits;
}

/* Whether the system keeps the wide registers of AVX when it changes between threads. */
static int keeps_wide_registers(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}
#endif

/* level(): the highest level of x86-64 that this processor and system have, 0 for another processor.

   2: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT. 3: FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT. */
static Object *find_level(Object *self, Object *const *arguments, intptr_t count) {
#if defined(__x86_64__)
    int second = has(1, C, 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23);
    int third = second && has(1, C, 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29) &&
                has(7, B, 1u << 3 | 1u << 5 | 1u << 8) && has(0x80000001u, C, 1u << 5) && keeps_wide_registers();
    return PyLong_FromLong(third ? 3 : second ? 2 : 1);
#else
    return PyLong_FromLong(0);
#endif
}

static Method methods[] = {
    {"entry", make_entry, FASTCALL, "entry(address, name, signature): a function for a function of the library."},
    {"bind", make_bound, FASTCALL, "bind(entry, *arguments): a function that takes the other arguments."},
    {"keep", keep, FASTCALL, "keep(arrays, likely, steady): contents as bytes, and the bytes that are new."},
    {"put_back", put_back, FASTCALL, "put_back(arrays, contents, there, steady): writes contents to arrays."},
    {"same", are_same, FASTCALL, "same(one, other): whether two arrays have the same bytes."},
    {"writeable", find_writeable, FASTCALL, "writeable(arrays): a byte for each array, 1 where it can be written to."},
    {"differing", differing, FASTCALL, "differing(now, then): which dicts and lists differ, and in which keys."},
    {"level", find_level, FASTCALL, "level(): the level of x86-64 that this processor has, 0 for another one."},
    {NULL, NULL, 0, NULL},
};
static Module module = {{{1, NULL}, NULL, 0, NULL}, "_calls", "Calls compiled kernels.", 0, methods};

FOR_PYTHON Object *PyInit__calls(void) {
    Object *numpy = array_type ? NULL : PyImport_ImportModule("numpy"); /* a second interpreter may not have it */
    if (numpy) array_type = (Type *)PyObject_GetAttrString(numpy, "ndarray");
    return array_type ? PyModuleDef_Init(&module) : NULL;
}
