/* IDA* on the 15-puzzle with the Manhattan distance, as plain as C allows: the yardstick of kernel.py.
   Arguments: the 16 tiles row by row, the blank (0) going to the first cell, and the length of a shortest plan.
   Refutes all shorter ones; prints nodes and seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int board[16], successors[16][5], delta[16][16][16], bound, next_bound;
static long nodes;

static int search(int blank, int before, int g, int h) {
    if (h == 0) return 1;
    for (const int *d = successors[blank]; *d >= 0; d++) {
        if (*d == before) continue; /* do not undo the last move */
        int tile = board[*d], f = g + 1 + h + delta[tile][*d][blank];
        if (f > bound) { if (f < next_bound) next_bound = f; continue; }
        nodes++;
        board[blank] = tile;
        if (search(*d, blank, g + 1, f - g - 1)) return 1;
        board[*d] = tile;
    }
    return 0;
}

static int distance(int a, int b) { return abs(a / 4 - b / 4) + abs(a % 4 - b % 4); }

int main(int count, char **words) {
    int h = 0, blank = 0, steps[] = {4, -4, 1, -1}; /* in the order of the puzzle's operators */
    if (count != 18) return 2;
    for (int cell = 0; cell < 16; cell++) {
        int *d = successors[cell];
        for (int k = 0; k < 4; k++) {
            int to = cell + steps[k];
            if (to >= 0 && to < 16 && distance(cell, to) == 1) *d++ = to;
        }
        *d = -1;
        for (int tile = 0; tile < 16; tile++) for (int to = 0; to < 16; to++)
            delta[tile][cell][to] = distance(to, tile) - distance(cell, tile);
        if ((board[cell] = atoi(words[cell + 1]))) h += distance(cell, board[cell]); else blank = cell;
    }
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (bound = h; bound < atoi(words[17]); bound = next_bound) {
        next_bound = 1 << 30;
        if (search(blank, -1, 0, h)) return 3;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    printf("%ld %.6f\n", nodes, b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) * 1e-9);
    return 0;
}
