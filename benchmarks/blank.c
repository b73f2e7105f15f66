/* The search of pattern_kernel.py once more, as plain as C allows: the yardstick of kernel.py for walks of a blank.
   Argument: a file with the arrays that are named below, each after its number of bytes.
   Searches all plans of at most `limit` moves; prints the nodes that were entered, seconds, and whether there was a plan. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t u8;

enum { MOST_SETS = 8 };
static u32 *offset, *next, *weight, *indices;
static u8 *move, *group, *table, *board, *entry;
static int64_t *total;
static u64 *numbers, cells, sets, limit, nodes;
static int found;

static void *array(FILE *file) {
    u64 bytes;
    if (fread(&bytes, 8, 1, file) != 1) exit(2);
    void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!data || fread(data, 1, bytes, file) != bytes) exit(2);
    return data;
}

static void search(u32 state, u64 z, int64_t g) {
    for (u32 e = offset[state]; e < offset[state + 1]; e++) {
        u64 d = move[e], tile = board[d], s;
        u32 place[MOST_SETS];
        u8 fresh[MOST_SETS];
        int64_t room = (int64_t)limit - g - 1, highest = 0;
        for (s = 0; s < sets; s++) {
            u64 row = s * cells + tile, k = group[row];
            place[s] = indices[k] + weight[row * cells + z] - weight[row * cells + d];
            fresh[s] = table[place[s]];
            int64_t after = total[s] + fresh[s] - entry[k];
            if (after > highest) highest = after;
            if (after > room) break;
        }
        if (s < sets) continue;
        nodes++;
        if (highest == 0) found = 1;
        /* What comes after the move and what was before it change places. */
        for (int back = 0; back < 2; back++) {
            for (s = 0; s < sets; s++) {
                u64 k = group[s * cells + tile];
                u32 index = indices[k];
                u8 old = entry[k];
                total[s] += fresh[s] - old;
                indices[k] = place[s], entry[k] = fresh[s];
                place[s] = index, fresh[s] = old;
            }
            board[back ? d : z] = tile;
            if (!back) search(next[e], d, g + 1);
        }
    }
}

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!file) return 2;
    offset = array(file), move = array(file), next = array(file);
    group = array(file), weight = array(file), table = array(file);
    board = array(file), indices = array(file), entry = array(file), total = array(file);
    numbers = array(file);
    cells = numbers[0], sets = numbers[1], limit = numbers[2];
    if (sets > MOST_SETS) return 2;
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    search(numbers[4], numbers[3], 0);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    printf("%lu %.6f %d\n", nodes, b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) * 1e-9, found);
    return 0;
}
