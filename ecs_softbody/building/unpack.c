/* Unpacks LZMA in a page: browsers have gzip only, with which a page would be half as large again.
 *
 * The format is that of the LZMA specification by Igor Pavlov (the SDK's lzma-specification.txt): a header of 13 bytes
 * (properties, size of the dictionary, size of the content), then bits of a range coder. `lzma.FORMAT_ALONE` of Python
 * writes it, with the end marked instead of a size. The page has all of both files in memory, so what was written so far
 * is the dictionary.
 */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

enum {
    HEADER = 13,
    PROBABILITY_BITS = 11,
    HALF = 1 << (PROBABILITY_BITS - 1),
    MOVE = 5,
    STATES = 12,
    LITERAL_STATES = 7,
    POSITION_STATES = 16,
    MOST_LITERAL_BITS = 4, /* lc + lp of what the page reads */
    LENGTH_LOW = 8,
    LENGTH_HIGH = 256,
    DISTANCE_SLOTS = 64,
    SLOT_SETS = 4,
    ALIGN_BITS = 4,
    FIRST_MODELLED = 4,
    LAST_MODELLED = 14,
    MODELLED_DISTANCES = 128,
    SHORTEST = 2,
};

typedef struct {
    u16 choice, choice_high;
    u16 low[POSITION_STATES][LENGTH_LOW], middle[POSITION_STATES][LENGTH_LOW], high[LENGTH_HIGH];
} Lengths;

static struct {
    u16 is_match[STATES][POSITION_STATES], is_repeat[STATES], is_other[STATES], is_older[STATES], is_oldest[STATES];
    u16 is_long[STATES][POSITION_STATES];
    u16 slot[SLOT_SETS][DISTANCE_SLOTS], special[MODELLED_DISTANCES], align[1 << ALIGN_BITS];
    Lengths match, repeat;
    u16 literal[0x300 << MOST_LITERAL_BITS];
} model;

static const u8 *in, *in_end;
static u32 range, code;
static int is_cut; /* whether more was asked for than there is */

static u32 next_byte(void) {
    if (in == in_end) {
        is_cut = 1;
        return 0;
    }
    return *in++;
}

static inline void normalize(void) {
    if (range < 1u << 24) {
        range <<= 8;
        code = code << 8 | next_byte();
    }
}

static inline u32 bit(u16 *probability) {
    u32 bound = (range >> PROBABILITY_BITS) * *probability, found;
    if (code < bound) {
        range = bound;
        *probability += ((1 << PROBABILITY_BITS) - *probability) >> MOVE;
        found = 0;
    } else {
        range -= bound;
        code -= bound;
        *probability -= *probability >> MOVE;
        found = 1;
    }
    normalize();
    return found;
}

static inline u32 tree(u16 *probabilities, int bits) {
    u32 at = 1;
    for (int k = 0; k < bits; k++) at = at << 1 | bit(probabilities + at);
    return at - (1u << bits);
}

static u32 reverse_tree(u16 *probabilities, int bits) {
    u32 at = 1, found = 0;
    for (int k = 0; k < bits; k++) {
        u32 each = bit(probabilities + at);
        at = at << 1 | each;
        found |= each << k;
    }
    return found;
}

static u32 direct(int bits) {
    u32 found = 0;
    while (bits--) {
        range >>= 1;
        u32 each = code >= range;
        if (each) code -= range;
        found = found << 1 | each;
        normalize();
    }
    return found;
}

static u32 length_of(Lengths *lengths, u32 position) {
    if (!bit(&lengths->choice)) return tree(lengths->low[position], 3);
    if (!bit(&lengths->choice_high)) return LENGTH_LOW + tree(lengths->middle[position], 3);
    return 2 * LENGTH_LOW + tree(lengths->high, 8);
}

static u32 distance_of(u32 length) {
    u32 set = length < SLOT_SETS ? length : SLOT_SETS - 1, slot = tree(model.slot[set], 6);
    if (slot < FIRST_MODELLED) return slot;
    int bits = (int)(slot >> 1) - 1;
    u32 distance = (2 | (slot & 1)) << bits;
    if (slot < LAST_MODELLED) return distance + reverse_tree(model.special + distance - slot, bits);
    distance += direct(bits - ALIGN_BITS) << ALIGN_BITS;
    return distance + reverse_tree(model.align, ALIGN_BITS);
}

/* Writes the content at `out` and returns how long it is; 0 where the source is damaged, or longer than `room`. */
__attribute__((export_name("unpack"))) u32 unpack(const u8 *source, u32 length, u8 *out, u32 room) {
    if (length < HEADER + 5 || source[0] >= 9 * 5 * 5) return 0;
    u32 lc = source[0] % 9, lp = source[0] / 9 % 5, pb = source[0] / 45;
    if (lc + lp > MOST_LITERAL_BITS) return 0;
    in = source + HEADER + 1;
    in_end = source + length;
    is_cut = 0;
    code = 0;
    range = 0xFFFFFFFFu;
    for (int k = 0; k < 4; k++) code = code << 8 | next_byte();
    for (u16 *each = (u16 *)&model; each < (u16 *)(&model + 1); each++) *each = HALF;

    u32 state = 0, at = 0, last[4] = {0, 0, 0, 0};
    while (!is_cut) {
        u32 position = at & ((1u << pb) - 1);
        if (!bit(&model.is_match[state][position])) {
            if (at == room) return 0;
            u32 before = at ? out[at - 1] : 0, symbol = 1;
            u16 *literal = model.literal + 0x300 * (((at & ((1u << lp) - 1)) << lc) + (before >> (8 - lc)));
            if (state >= LITERAL_STATES) {
                u32 matched = out[at - last[0] - 1];
                while (symbol < 0x100) {
                    u32 expected = matched >> 7 & 1, found = bit(literal + ((1 + expected) << 8) + symbol);
                    matched <<= 1;
                    symbol = symbol << 1 | found;
                    if (found != expected) break;
                }
            }
            while (symbol < 0x100) symbol = symbol << 1 | bit(literal + symbol);
            out[at++] = (u8)symbol;
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        u32 count;
        if (bit(&model.is_repeat[state])) {
            if (!at) return 0;
            if (!bit(&model.is_other[state])) {
                if (!bit(&model.is_long[state][position])) {
                    if (at == room || last[0] >= at) return 0;
                    out[at] = out[at - last[0] - 1];
                    at++;
                    state = state < LITERAL_STATES ? 9 : 11;
                    continue;
                }
            } else {
                u32 which = !bit(&model.is_older[state]) ? 1 : !bit(&model.is_oldest[state]) ? 2 : 3, found = last[which];
                for (; which; which--) last[which] = last[which - 1];
                last[0] = found;
            }
            count = length_of(&model.repeat, position);
            state = state < LITERAL_STATES ? 8 : 11;
        } else {
            for (int k = 3; k; k--) last[k] = last[k - 1];
            count = length_of(&model.match, position);
            last[0] = distance_of(count);
            if (last[0] == 0xFFFFFFFFu) return code == 0 && !is_cut ? at : 0; /* the mark of the end */
            state = state < LITERAL_STATES ? 7 : 10;
        }
        count += SHORTEST;
        if (last[0] >= at || count > room - at) return 0;
        for (const u8 *from = out + at - last[0] - 1; count; count--) out[at++] = *from++;
    }
    return 0;
}
