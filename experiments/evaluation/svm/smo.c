/* The dual problem of a two-class SVM at increasing C, solved in the very steps of libsvm.
 *
 * The method is sequential minimal optimisation with second-order working sets (Fan, Chen and Lin,
 * JMLR 6, 2005) and shrinking, for a kernel whose diagonal is 1. Every number is added, multiplied
 * and compared as in Solver::Solve of libsvm, in the same order, so that steps, multipliers, offset
 * and decisions have its bits. This matters because libsvm stops at a tolerance: other steps would
 * end at another solution. The code is faster for three reasons: its loops have no branches, so
 * that compilers turn them into vector instructions; it does not divide for a pair that cannot be
 * the best; and all C share the columns of the kernel.
 *
 * Signs are folded in: here g = -y * (gradient), and columns are those of the kernel, not of
 * Q = y y' K. A sign changes no rounding. The code must be compiled with -ffp-contract=off and
 * without -ffast-math.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 32
#define TAU 1e-12

enum { LOWER, FREE, UPPER };

typedef struct {
    int l, active, unshrink;
    int met; /* 0 as long as no multiplier has reached C: a larger C would have changed no step */
    double C;
    double *g, *g_bar, *alpha;
    double *up, *low; /* up is 0 where y * alpha may grow, low where it may fall; else -inf */
    double *y;
    char *status;
    int *rows; /* rows[k] is the row at position k; the positions from `active` on are shrunk */
    const double *kernel;
    int64_t stride;
    const int64_t *train;
    float *base, *moved; /* kernel columns, in the order of the rows and of the positions */
    char *known;         /* known[row] is 1 once the column of this row in `base` is filled */
    int *seen;           /* seen[row] counts the swaps that its column in `moved` contains; -1: the
                            column is not filled */
    int (*swaps)[2];
    int n_swaps, room, permuted;
} Problem;

static float *column(Problem *p, int position)
{
    int row = p->rows[position], l = p->l;
    float *base = p->base + (size_t)row * l, *moved = p->moved + (size_t)row * l;
    if (!p->known[row]) {
        const double *from = p->kernel + p->train[row] * p->stride;
        for (int k = 0; k < l; k++) base[k] = (float)from[p->train[k]];
        p->known[row] = 1;
    }
    if (!p->permuted) return base;
    if (p->seen[row] < 0 || p->n_swaps - p->seen[row] > l / 2) {
        for (int k = 0; k < l; k++) moved[k] = base[p->rows[k]];
    } else {
        for (int s = p->seen[row]; s < p->n_swaps; s++) {
            int i = p->swaps[s][0], j = p->swaps[s][1];
            float kept = moved[i];
            moved[i] = moved[j];
            moved[j] = kept;
        }
    }
    p->seen[row] = p->n_swaps;
    return moved;
}

#define SWAP(type, array) { type kept = array[i]; array[i] = array[j]; array[j] = kept; }

static void swap(Problem *p, int i, int j)
{
    if (p->n_swaps == p->room) { /* the list is full: it starts anew, and so do the columns */
        for (int k = 0; k < p->l; k++) p->seen[k] = -1;
        p->n_swaps = 0;
    }
    p->swaps[p->n_swaps][0] = i;
    p->swaps[p->n_swaps++][1] = j;
    p->permuted = 1;
    SWAP(double, p->g) SWAP(double, p->g_bar) SWAP(double, p->alpha) SWAP(double, p->up)
    SWAP(double, p->low) SWAP(double, p->y) SWAP(char, p->status) SWAP(int, p->rows)
}

static void update_status(Problem *p, int i)
{
    int s = p->alpha[i] >= p->C ? UPPER : p->alpha[i] <= 0 ? LOWER : FREE;
    int positive = p->y[i] > 0;
    p->status[i] = (char)s;
    p->up[i] = s == (positive ? UPPER : LOWER) ? -INFINITY : 0;
    p->low[i] = s == (positive ? LOWER : UPPER) ? -INFINITY : 0;
    if (s == UPPER) p->met = 1;
}

/* The largest value of sign * g + where. */
static double largest(const double *restrict g, const double *restrict where, double sign, int n)
{
    double top = -INFINITY;
#pragma omp simd reduction(max : top)
    for (int k = 0; k < n; k++) {
        double v = sign * g[k] + where[k];
        top = v > top ? v : top;
    }
    return top;
}

/* The last position at which g + up is `top`. */
static int last(const double *restrict g, const double *restrict up, double top, int n)
{
    for (int end = n; end > 0; end -= BLOCK) {
        int begin = end > BLOCK ? end - BLOCK : 0, hit = 0;
#pragma omp simd reduction(| : hit)
        for (int k = begin; k < end; k++) hit |= g[k] + up[k] == top;
        if (hit)
            for (int k = end - 1; k >= begin; k--)
                if (g[k] + up[k] == top) return k;
    }
    return -1;
}

/* Choose the pair of the next step. Returns 0 if no pair violates optimality by eps or more. */
static int select(Problem *p, double eps, double top, int *out_i, int *out_j)
{
    if (top == -INFINITY) return 0;
    const double *restrict g = p->g, *restrict low = p->low;
    int n = p->active, i = last(g, p->up, top, n), best_j = -1;
    const float *restrict K = column(p, i);
    double gap = -INFINITY, best = -INFINITY, enough = -INFINITY;
    for (int begin = 0; begin < n; begin += BLOCK) {
        int end = begin + BLOCK < n ? begin + BLOCK : n, hit = 0;
#pragma omp simd reduction(max : gap) reduction(| : hit)
        for (int k = begin; k < end; k++) {
            double v = low[k] - g[k], d = top - g[k], q = 2.0 - 2.0 * (double)K[k];
            gap = v > gap ? v : gap;
            q = q > 0 ? q : TAU;
            hit |= (d * d >= enough * q) & (d > 0) & (low[k] == 0);
        }
        if (!hit) continue;
        double gain[BLOCK];
#pragma omp simd
        for (int k = begin; k < end; k++) {
            double d = top - g[k], q = 2.0 - 2.0 * (double)K[k];
            q = q > 0 ? q : TAU;
            d = d > 0 ? d : 0;
            gain[k - begin] = low[k] + d * d / q;
        }
        for (int k = begin; k < end; k++)
            if (gain[k - begin] >= best && top - g[k] > 0) {
                best = gain[k - begin];
                best_j = k;
            }
        enough = best * (1 - 8 * DBL_EPSILON); /* rounding must not drop a candidate */
    }
    if (top + gap < eps || best_j == -1) return 0;
    *out_i = i;
    *out_j = best_j;
    return 1;
}

/* Compute g at the shrunk positions, and make all positions active again. */
static void reconstruct(Problem *p)
{
    int n = p->active, l = p->l;
    if (n == l) return;
    for (int k = n; k < l; k++) p->g[k] = p->g_bar[k] + p->y[k];
    for (int i = 0; i < n; i++)
        if (p->status[i] == FREE) {
            const float *restrict K = column(p, i);
            double *restrict g = p->g, a = p->alpha[i] * p->y[i];
            for (int k = n; k < l; k++) g[k] -= a * K[k];
        }
    p->active = l;
}

static int shrinks(const Problem *p, int i, double top, double gap)
{
    return p->up[i] != 0 ? p->g[i] > top : p->low[i] != 0 ? -p->g[i] > gap : 0;
}

static void shrink(Problem *p, double eps)
{
    double top = largest(p->g, p->up, 1, p->active), gap = largest(p->g, p->low, -1, p->active);
    if (!p->unshrink && top + gap <= eps * 10) {
        p->unshrink = 1;
        reconstruct(p);
    }
    for (int i = 0; i < p->active; i++)
        if (shrinks(p, i, top, gap)) {
            p->active--;
            while (p->active > i) {
                if (!shrinks(p, p->active, top, gap)) {
                    swap(p, i, p->active);
                    break;
                }
                p->active--;
            }
        }
}

/* Move the two multipliers of a pair to their optimum within the box [0, C]. */
static void move(Problem *p, int i, int j, double K_ij)
{
    double *a = p->alpha, C = p->C, quad = 2.0 - 2.0 * K_ij;
    double G_i = -p->y[i] * p->g[i], G_j = -p->y[j] * p->g[j];
    if (quad <= 0) quad = TAU;
    if (p->y[i] != p->y[j]) {
        double delta = (-G_i - G_j) / quad, diff = a[i] - a[j];
        a[i] += delta;
        a[j] += delta;
        if (diff > 0) {
            if (a[j] < 0) { a[j] = 0; a[i] = diff; }
            if (a[i] > C) { a[i] = C; a[j] = C - diff; p->met = 1; }
        } else {
            if (a[i] < 0) { a[i] = 0; a[j] = -diff; }
            if (a[j] > C) { a[j] = C; a[i] = C + diff; p->met = 1; }
        }
    } else {
        double delta = (G_i - G_j) / quad, sum = a[i] + a[j];
        a[i] -= delta;
        a[j] += delta;
        if (sum > C) {
            p->met = 1;
            if (a[i] > C) { a[i] = C; a[j] = sum - C; }
            if (a[j] > C) { a[j] = C; a[i] = sum - C; }
        } else {
            if (a[j] < 0) { a[j] = 0; a[i] = sum; }
            if (a[i] < 0) { a[i] = 0; a[j] = sum; }
        }
    }
}

/* Update g_bar if the multiplier at position i has reached the bound C or has left it. */
static void bound(Problem *p, int i, int was)
{
    int is = p->status[i] == UPPER;
    if (is == was) return;
    const float *restrict K = column(p, i);
    double *restrict h = p->g_bar, c = (is ? p->C : -p->C) * p->y[i];
    for (int k = 0; k < p->l; k++) h[k] -= c * K[k];
}

/* Update g after a step. Returns the largest g + up. */
static double update(double *restrict g, const double *restrict up, const float *restrict K_i,
                     const float *restrict K_j, double d_i, double d_j, int n)
{
    double top = -INFINITY;
#pragma omp simd reduction(max : top)
    for (int k = 0; k < n; k++) {
        g[k] -= (double)K_i[k] * d_i + (double)K_j[k] * d_j;
        double v = g[k] + up[k];
        top = v > top ? v : top;
    }
    return top;
}

static double offset(const Problem *p)
{
    double ub = INFINITY, lb = -INFINITY, sum = 0;
    int n_free = 0;
    for (int i = 0; i < p->l; i++) {
        double v = -p->g[i];
        if (p->low[i] != 0) ub = v < ub ? v : ub;
        else if (p->up[i] != 0) lb = v > lb ? v : lb;
        else { n_free++; sum += v; }
    }
    return n_free > 0 ? sum / n_free : (ub + lb) / 2;
}

static int solve(Problem *p, int first, double eps)
{
    int l = p->l, steps = 0, counter = (l < 1000 ? l : 1000) + 1;
    p->active = l;
    p->unshrink = p->met = p->permuted = p->n_swaps = 0;
    for (int i = 0; i < l; i++) {
        p->rows[i] = i;
        p->seen[i] = -1;
        p->alpha[i] = p->g_bar[i] = 0;
        p->g[i] = p->y[i] = i < first ? 1 : -1;
        update_status(p, i);
    }
    double top = largest(p->g, p->up, 1, l);
    for (;;) {
        int i, j;
        if (--counter == 0) {
            counter = l < 1000 ? l : 1000;
            shrink(p, eps);
            top = largest(p->g, p->up, 1, p->active);
        }
        if (!select(p, eps, top, &i, &j)) {
            reconstruct(p);
            top = largest(p->g, p->up, 1, l);
            if (!select(p, eps, top, &i, &j)) return steps;
            counter = 1;
        }
        steps++;
        float *K_i = column(p, i), *K_j = column(p, j);
        double old_i = p->alpha[i], old_j = p->alpha[j];
        int was_i = p->status[i] == UPPER, was_j = p->status[j] == UPPER;
        move(p, i, j, K_i[j]);
        update_status(p, i);
        update_status(p, j);
        top = update(p->g, p->up, K_i, K_j, p->y[i] * (p->alpha[i] - old_i),
                     p->y[j] * (p->alpha[j] - old_j), p->active);
        bound(p, i, was_i);
        bound(p, j, was_j);
    }
}

/* For every C, fit the rows `train` of the kernel, the first `first` of them against the others,
 * and decide on the rows `test`; a decision above 0 is for the first class. Fills coef (n_C, l),
 * rho (n_C,), steps (n_C,) and decisions (n_C, m). Where a larger C changes nothing, steps is 0 and
 * the other values are those of the C before. Returns 0, or -1 if there is not enough memory. */
int smo_path(const double *kernel, int64_t stride, const int64_t *train, int l, int first,
             const int64_t *test, int m, const double *Cs, int n_C, double eps, double *coef,
             double *rho, int *steps, double *decisions)
{
    size_t n = (size_t)l;
    Problem p = {.l = l, .kernel = kernel, .stride = stride, .train = train, .room = 4 * l};
    double *doubles = malloc(6 * n * sizeof(double));
    int *ints = malloc(2 * n * sizeof(int)), failed = -1;
    char *chars = calloc(2 * n, 1);
    p.base = malloc(n * n * sizeof(float));
    p.moved = malloc(n * n * sizeof(float));
    p.swaps = malloc(4 * n * sizeof(*p.swaps));
    if (!doubles || !ints || !chars || !p.base || !p.moved || !p.swaps) goto done;
    p.g = doubles; p.g_bar = p.g + n; p.alpha = p.g_bar + n;
    p.up = p.alpha + n; p.low = p.up + n; p.y = p.low + n;
    p.rows = ints; p.seen = ints + n; p.status = chars; p.known = chars + n;
    failed = 0;
    for (int c = 0; c < n_C; c++) {
        double *w = coef + c * n, *sums = decisions + (size_t)c * m;
        if (c > 0 && !p.met) { /* no multiplier reached C: a larger C changes no step */
            memcpy(w, w - n, n * sizeof(double));
            memcpy(sums, sums - m, (size_t)m * sizeof(double));
            rho[c] = rho[c - 1];
            steps[c] = 0;
            continue;
        }
        p.C = Cs[c];
        steps[c] = solve(&p, first, eps);
        rho[c] = offset(&p);
        for (int i = 0; i < l; i++) w[p.rows[i]] = p.y[i] * p.alpha[i];
        for (int t = 0; t < m; t++) sums[t] = 0;
        for (int i = 0; i < l; i++) {
            if (w[i] == 0) continue;
            const double *K = kernel + train[i] * stride;
            for (int t = 0; t < m; t++) sums[t] += w[i] * K[test[t]];
        }
        for (int t = 0; t < m; t++) sums[t] -= rho[c];
    }
done:
    free(doubles); free(ints); free(chars);
    free(p.base); free(p.moved); free(p.swaps);
    return failed;
}
