/* The search of permutation_kernel.py once more, as plain as C allows: the yardstick of kernel.py for moves that permute the cells.
   Argument: a file with the arrays that are named below, each after its number of bytes.
   Searches all plans of exactly `limit` moves; prints the children that were tried, and seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t u8;

static u32 *offset, *move, *next, *first, *cell, *source, *group, *group_first, *group_cell, *group_odd, *lookups;
static u64 *contribution, *flip, *limits, *root_indices, *numbers;
static u8 *table, *root_values;
static u32 *root_board;

/* Level d is that of the boards after d moves; its slots are the children of the board above. */
static u64 *indices; /* [((level*slots + slot)*blocks + block)*8 + word] */
static u8 *value;    /* [((level*slots + slot)*blocks + block)*16 + lookup] */
static u32 *board, *odd, *alive, *operator, *node;
static u64 cells, slots, blocks, limit, slack, excess, tried;

static void *array(FILE *file) {
    u64 bytes;
    if (fread(&bytes, 8, 1, file) != 1) exit(2);
    void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!data || fread(data, 1, bytes, file) != bytes) exit(2);
    return data;
}

static u64 entry(u64 row, u64 lookup) {
    return indices[row * 8 + (lookup >> 1)] >> ((lookup & 1) << 5) & 0xFFFFFFFF;
}

/* Makes one block of lookups for the children; returns how many are left. */
static u64 refute(u64 parent, u64 row, u32 *alive, u64 count, u64 left, u64 remaining) {
    u64 order[16], others = 0, kept, highest;
    u8 *own = value + parent * 16;
    for (u64 lookup = 0; lookup < count; lookup++) {
        u64 known = own[lookup];
        if (known + slack >= remaining && known < remaining) order[others++] = lookup;
        else if (known < remaining)
            for (u64 j = 0; j < left; j++) value[(row + alive[j] * blocks) * 16 + lookup] = known + 1;
        else {
            kept = highest = 0;
            for (u64 j = 0; j < left; j++) {
                u32 slot = alive[j];
                u64 at = row + slot * blocks, found = table[entry(at, lookup)];
                value[at * 16 + lookup] = found;
                if (found > highest) highest = found;
                alive[kept] = slot;
                kept += found < remaining;
            }
            left = kept;
            if (highest > remaining + excess || !left) return 0;
        }
    }
    kept = highest = 0;
    for (u64 j = 0; j < left; j++) {
        u32 slot = alive[j];
        u64 at = row + slot * blocks, worst = 0;
        for (u64 i = 0; i < others; i++) {
            u64 found = table[entry(at, order[i])];
            value[at * 16 + order[i]] = found;
            if (found > worst) worst = found;
        }
        if (worst > highest) highest = worst;
        alive[kept] = slot;
        kept += worst < remaining;
    }
    return highest > remaining + excess ? 0 : kept;
}

static u64 expand(u64 level, u64 slot) {
    u64 parent = level * slots + slot, children = (level + 1) * slots, left = 0;
    u32 *here = board + level * cells, state = node[parent];
    for (u32 edge = offset[state]; edge < offset[state + 1]; edge++, left++) {
        alive[children + left] = left;
        operator[children + left] = move[edge];
        node[children + left] = next[edge];
    }
    tried += left;
    for (u64 block = 0; block < blocks; block++) {
        u64 *rows = contribution + block * cells * cells * 8, rest[8];
        u32 last = -1;
        for (u64 i = 0; i < left; i++) {
            u64 child = children + alive[children + i];
            u32 chosen = operator[child], own = group[chosen];
            if (own != last) {
                last = own;
                memcpy(rest, indices + (parent * blocks + block) * 8, sizeof rest);
                if (group_odd[own]) for (int k = 0; k < 8; k++) rest[k] += flip[(block * 2 + odd[level]) * 8 + k];
                for (u32 m = group_first[own]; m < group_first[own + 1]; m++) {
                    u64 *away = rows + here[group_cell[m]] + group_cell[m] * 8;
                    for (int k = 0; k < 8; k++) rest[k] -= away[k];
                }
            }
            u64 words[8];
            memcpy(words, rest, sizeof words);
            for (u32 m = first[chosen]; m < first[chosen + 1]; m++) {
                u64 *there = rows + here[source[m]] + cell[m] * 8;
                for (int k = 0; k < 8; k++) words[k] += there[k];
            }
            memcpy(indices + (child * blocks + block) * 8, words, sizeof words);
        }
        left = refute(parent * blocks + block, children * blocks + block, alive + children, lookups[block], left, limit - level);
        if (!left) break;
    }
    return left;
}

static int search(u64 level, u64 slot) {
    u32 *here = board + level * cells;
    if (level) {
        u32 chosen = operator[level * slots + slot];
        odd[level] = odd[level - 1] ^ group_odd[group[chosen]];
        memcpy(here, here - cells, cells * sizeof *here);
        for (u32 m = first[chosen]; m < first[chosen + 1]; m++) here[cell[m]] = here[source[m] - cells];
        if (level == limit) {
            for (u64 c = 0; c < cells; c++) if (here[c] != c * cells * 8) return 0;
            return 1;
        }
    }
    u64 left = expand(level, slot);
    for (u64 i = 0; i < left; i++)
        if (search(level + 1, alive[(level + 1) * slots + i])) return 1;
    return 0;
}

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!file) return 2;
    offset = array(file), move = array(file), next = array(file), first = array(file), cell = array(file), source = array(file);
    group = array(file), group_first = array(file), group_cell = array(file), group_odd = array(file);
    contribution = array(file), flip = array(file), table = array(file), lookups = array(file), limits = array(file);
    root_board = array(file), root_indices = array(file), root_values = array(file), numbers = array(file);
    cells = numbers[0], slots = numbers[1], blocks = numbers[2], limit = numbers[3], slack = limits[0], excess = limits[1];
    u64 levels = limit + 2, size = levels * slots;
    board = calloc(levels * cells, 4), odd = calloc(levels, 4), alive = calloc(size, 4), operator = calloc(size, 4), node = calloc(size, 4);
    indices = aligned_alloc(64, size * blocks * 64), value = calloc(size * blocks, 16);
    memcpy(board, root_board, cells * 4);
    memcpy(indices, root_indices, blocks * 64);
    memcpy(value, root_values, blocks * 16);
    odd[0] = numbers[4], node[0] = numbers[5];
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    int found = search(0, 0);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    printf("%lu %.6f %d\n", tried, b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) * 1e-9, found);
    return 0;
}
