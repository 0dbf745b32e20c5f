/* One pass over many float32 vectors: what `statistics.py` does in NumPy, without the dispatch.
 *
 * Every vector belongs to a row (a layer); results are per row. Vectors are read in blocks that
 * stay in the cache, each shifted and scaled to about [-1, 1] before powers are taken (a gradient
 * of 1e-12 has no fourth power in float32), and blocks are merged exactly in double precision
 * (Chan et al. 1979, Pebay 2008).
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VECTORISED
#endif

/* What this library is, found by `native/__init__.py` in its file before it is loaded: the number
 * goes up when a function takes other arguments, the hash is of this file. */
#define ABI "1"
#ifndef PARAMEDIC_SOURCE
#define PARAMEDIC_SOURCE "unknown"
#endif
extern const char paramedic_identity[];
const char paramedic_identity[] = "paramedic kernel, abi " ABI ", source " PARAMEDIC_SOURCE ".";

#define BLOCK 2048

/* The fields of a row, in the order of `moments.Moments`. */
enum { COUNT, BAD, ZERO, ABSOLUTE, MEAN, M2, M3, M4, LOW, HIGH, FIELDS };

typedef struct {
    float low, high, absolute, poison;
    int32_t zero;
} Range;

VECTORISED static Range range_of(const float *x, int64_t n) {
    float low = INFINITY, high = -INFINITY, absolute = 0.0f, poison = 0.0f;
    int32_t zero = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : absolute, poison, zero)
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
        absolute += fabsf(v);
        poison += v * 0.0f; /* 0 for a finite value, NaN for any other */
        zero += v == 0.0f;
    }
    return (Range){low, high, absolute, poison, zero};
}

typedef struct {
    float s1, s2, s3, s4;
} Powers;

VECTORISED static Powers powers_of(const float *x, int64_t n, float centre, float inverse) {
    float s1 = 0.0f, s2 = 0.0f, s3 = 0.0f, s4 = 0.0f;
#pragma omp simd reduction(+ : s1, s2, s3, s4)
    for (int64_t i = 0; i < n; i++) {
        float z = (x[i] - centre) * inverse;
        float z2 = z * z;
        s1 += z;
        s2 += z2;
        s3 += z2 * z;
        s4 += z2 * z2;
    }
    return (Powers){s1, s2, s3, s4};
}

static void merge(double *a, const double *b) {
    double na = a[COUNT], nb = b[COUNT], n = na + nb;
    a[BAD] += b[BAD];
    if (nb == 0)
        return;
    double delta = na > 0 ? b[MEAN] - a[MEAN] : 0.0, part = na * nb / n;
    double d2 = delta * delta;
    double m4 = part * (na * na - na * nb + nb * nb) / (n * n) * d2 * d2 +
                6 * d2 * (na * na * b[M2] + nb * nb * a[M2]) / (n * n) +
                4 * delta * (na * b[M3] - nb * a[M3]) / n;
    double m3 = part * (na - nb) / n * d2 * delta + 3 * delta * (na * b[M2] - nb * a[M2]) / n;
    a[MEAN] = na > 0 ? a[MEAN] + delta * nb / n : b[MEAN];
    a[M4] += b[M4] + m4;
    a[M3] += b[M3] + m3;
    a[M2] += b[M2] + d2 * part;
    a[COUNT] = n;
    a[ZERO] += b[ZERO];
    a[ABSOLUTE] += b[ABSOLUTE];
    a[LOW] = b[LOW] < a[LOW] ? b[LOW] : a[LOW];
    a[HIGH] = b[HIGH] > a[HIGH] ? b[HIGH] : a[HIGH];
}

static double absolute_exactly(const float *x, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs((double)x[i]);
    return sum;
}

static void add_finite_block(double *row, const float *x, int64_t n, Range range, double bad) {
    double block[FIELDS];
    float centre = 0.5f * range.low + 0.5f * range.high;
    float scale = 0.5f * range.high - 0.5f * range.low;
    Powers p = {0};
    if (scale > 0)
        p = powers_of(x, n, centre, 1.0f / scale > 3e38f ? 0.0f : 1.0f / scale);
    double mean = p.s1 / (double)n, wide = scale;
    double m2 = p.s2 - n * mean * mean;
    double m3 = p.s3 - 3 * mean * p.s2 + 2 * n * mean * mean * mean;
    double m4 = p.s4 - 4 * mean * p.s3 + 6 * mean * mean * p.s2 - 3 * n * mean * mean * mean * mean;
    block[COUNT] = n;
    block[BAD] = bad;
    block[ZERO] = range.zero;
    block[ABSOLUTE] = isfinite(range.absolute) ? range.absolute : absolute_exactly(x, n);
    block[MEAN] = centre + wide * mean;
    block[M2] = (m2 > 0 ? m2 : 0) * wide * wide;
    block[M3] = m3 * wide * wide * wide;
    block[M4] = (m4 > 0 ? m4 : 0) * wide * wide * wide * wide;
    block[LOW] = range.low;
    block[HIGH] = range.high;
    merge(row, block);
}

static void add_block(double *row, const float *x, int64_t n) {
    Range range = range_of(x, n);
    if (range.poison == 0.0f) {
        add_finite_block(row, x, n, range, 0);
        return;
    }
    float kept[BLOCK];
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            kept[count++] = x[i];
    if (count)
        add_finite_block(row, kept, count, range_of(kept, count), (double)(n - count));
    else
        row[BAD] += (double)n;
}

/* Adds the moments of each vector to its row of `rows` ([height, FIELDS], set up by the caller). */
void paramedic_moments(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                       int64_t vectors, double *rows) {
    for (int64_t v = 0; v < vectors; v++)
        for (int64_t start = 0; start < sizes[v]; start += BLOCK) {
            int64_t n = sizes[v] - start < BLOCK ? sizes[v] - start : BLOCK;
            add_block(rows + row_of[v] * FIELDS, data[v] + start, n);
        }
}

/* Every `strides[row]`-th value of a row, up to `width` of them, into `sample` ([height, width]);
 * `taken[row]` counts them. */
void paramedic_sample(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                      int64_t vectors, const int64_t *strides, int64_t width, float *sample,
                      int64_t *taken) {
    for (int64_t v = 0; v < vectors; v++) {
        int64_t row = row_of[v], stride = strides[row];
        for (int64_t i = 0; i < sizes[v] && taken[row] < width; i += stride)
            sample[row * width + taken[row]++] = data[v][i];
    }
}

/* The columns of a row of statistics, in the order of `native.COLUMNS`. */
enum { C_MEAN, C_VAR, C_MEDIAN, C_MIN, C_MAX, C_Q1, C_Q3, C_SKEW, C_KURTOSIS, C_ZERO,
       C_MEAN_ABS, C_MAX_ABS, C_NORM, C_NONFINITE, COLUMNS };

/* The value that would stand at place `k` if x[left..right] were sorted. Reorders them. */
static float nth(float *x, int64_t left, int64_t right, int64_t k) {
    while (left < right) {
        float pivot = x[(left + right) / 2];
        int64_t i = left, j = right;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (pivot < x[j]) j--;
            if (i <= j) {
                float swap = x[i];
                x[i++] = x[j];
                x[j--] = swap;
            }
        }
        if (k <= j) right = j;
        else if (k >= i) left = i;
        else break;
    }
    return x[k];
}

static void finish_row(const double *m, float *sample, int64_t taken, float *out, int64_t height) {
    double n = m[COUNT], variance = m[M2] / n;
    int64_t kept = 0; /* NaN has no place in an order */
    for (int64_t i = 0; i < taken; i++)
        if (isfinite(sample[i]))
            sample[kept++] = sample[i];
    out[C_MEAN * height] = (float)m[MEAN];
    out[C_VAR * height] = (float)variance;
    out[C_MIN * height] = (float)m[LOW];
    out[C_MAX * height] = (float)m[HIGH];
    out[C_SKEW * height] = variance > 0 ? (float)(m[M3] / n / pow(variance, 1.5)) : 0.0f;
    out[C_KURTOSIS * height] = variance > 0 ? (float)(m[M4] / n / (variance * variance) - 3) : 0.0f;
    out[C_ZERO * height] = (float)(m[ZERO] / n);
    out[C_MEAN_ABS * height] = (float)(m[ABSOLUTE] / n);
    out[C_MAX_ABS * height] = (float)fmax(-m[LOW], m[HIGH]);
    if (kept) {
        int64_t half = (int64_t)(0.5 * (kept - 1)), last = kept - 1;
        out[C_MEDIAN * height] = nth(sample, 0, last, half);
        /* The median now parts the sample: each quartile lies on its own side. */
        out[C_Q1 * height] = nth(sample, 0, half, (int64_t)(0.25 * last));
        out[C_Q3 * height] = nth(sample, half, last, (int64_t)(0.75 * last));
    }
}

/* All statistics of each row at once, into `out` ([COLUMNS, height]); NaN for a row without
 * values. `rows` ([height, FIELDS]) and `sample` ([height, width]) are scratch. */
void paramedic_statistics(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                          int64_t vectors, int64_t height, int64_t width, double *rows,
                          float *sample, int64_t *strides, int64_t *taken, float *out) {
    for (int64_t r = 0; r < height; r++) {
        for (int64_t f = 0; f < FIELDS; f++)
            rows[r * FIELDS + f] = f == LOW ? INFINITY : f == HIGH ? -INFINITY : 0.0;
        strides[r] = taken[r] = 0;
        for (int64_t c = 0; c < COLUMNS; c++)
            out[c * height + r] = NAN;
    }
    for (int64_t v = 0; v < vectors; v++)
        strides[row_of[v]] += sizes[v];
    for (int64_t r = 0; r < height; r++)
        strides[r] = strides[r] > width ? (strides[r] + width - 1) / width : 1;
    paramedic_moments(data, sizes, row_of, vectors, rows);
    paramedic_sample(data, sizes, row_of, vectors, strides, width, sample, taken);
    for (int64_t r = 0; r < height; r++) {
        const double *m = rows + r * FIELDS;
        if (m[COUNT] > 0)
            finish_row(m, sample + r * width, taken[r], out + r, height);
        if (m[COUNT] + m[BAD] > 0) {
            double norm = sqrt(m[M2] + m[COUNT] * m[MEAN] * m[MEAN]);
            out[C_NORM * height + r] = m[BAD] > 0 ? INFINITY : (float)norm;
            out[C_NONFINITE * height + r] = m[BAD] > 0;
        }
    }
}

VECTORISED static double square_block(const float *x, int64_t n) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static double square_exactly(const float *x, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

/* Adds the squares of each vector to its row; not finite only if one of its values is not. */
static void paramedic_squares(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                       int64_t vectors, double *squares) {
    for (int64_t v = 0; v < vectors; v++)
        for (int64_t start = 0; start < sizes[v]; start += BLOCK) {
            int64_t n = sizes[v] - start < BLOCK ? sizes[v] - start : BLOCK;
            double block = square_block(data[v] + start, n);
            /* A float32 square over- or underflows long before the value does. */
            squares[row_of[v]] +=
                block > 1e-30 && block < 1e38 ? block : square_exactly(data[v] + start, n);
        }
}

/* What the vigil remembers: of all layers together, then of each of them. See `vigil.py`. */
enum { A_SEEN, A_HIGH, A_LOW, A_SPREAD, A_MOVE, A_BEYOND, A_DEVIATIONS, A_FIELDS };
enum { V_SEEN, V_LEVEL, V_HIGH, V_LOW, V_SPREAD, V_FIELDS };
enum { L_FEWEST, L_RATE, L_RELAX, L_CAP, L_UP, L_UP_BEYOND, L_DOWN, L_DOWN_BEYOND, L_OWN,
       L_CALM };

/* Where it is, and whose gradients it reads: handed over as one pointer, since each argument of a
 * call from Python costs. `squares` and `sorted` are scratch. */
typedef struct {
    const int64_t *row_of;
    int64_t vectors, height;
    double *squares;
    float *sorted;
    const double *limit;
    double *all, *rows, *told;
    int64_t jumped;
} Vigil;

static double within(double x, double cap) {
    return x > cap ? cap : x < -cap ? -cap : x;
}

static double relaxed(double bound, double value, double relax, int upper) {
    double eased = bound - relax * bound;
    return upper ? fmax(value, eased) : fmin(value, eased);
}

/* How far a move of logarithms is outside of the range of those before: above it or, negative,
 * below. */
static double outside_of(double move, double high, double low) {
    return move > high ? move - high : move < low ? move - low : 0.0;
}

static int is_jump(double move, double beyond, const double *limit) {
    return (move > limit[L_UP] && beyond > limit[L_UP_BEYOND]) ||
           (-move > limit[L_DOWN] && -beyond > limit[L_DOWN_BEYOND]);
}

/* Compares the logarithm of the norm of each row with its level, and learns from it. `told`
 * ([4, height]) gets the logarithms, their moves, how far the own part of a move is outside of its
 * range, and that part in deviations; NaN for a row without a gradient. Returns whether a row, or
 * all together, jumped. */
static int64_t compare_rows(const double *squares, const Vigil *vigil) {
    int64_t height = vigil->height;
    float *sorted = vigil->sorted;
    const double *limit = vigil->limit;
    double *all = vigil->all, *rows = vigil->rows, *told = vigil->told;
    double *logs = told, *moves = told + height, *beyond = told + 2 * height;
    double *deviations = told + 3 * height;
    int64_t known = 0, startled = 0;
    for (int64_t r = 0; r < height; r++) {
        const double *row = rows + r * V_FIELDS;
        int usable = squares[r] > 0 && isfinite(squares[r]);
        logs[r] = usable ? 0.5 * log(squares[r]) : NAN;
        moves[r] = usable && row[V_SEEN] > 0 ? logs[r] - row[V_LEVEL] : NAN;
        beyond[r] = deviations[r] = NAN;
        if (!isnan(moves[r]))
            sorted[known++] = (float)moves[r];
    }
    double common = known ? nth(sorted, 0, known - 1, known / 2) : 0.0;
    all[A_MOVE] = common;
    all[A_BEYOND] = outside_of(common, all[A_HIGH], all[A_LOW]);
    all[A_DEVIATIONS] = common / fmax(1.2533 * all[A_SPREAD], limit[L_CALM]);
    if (all[A_SEEN] >= limit[L_FEWEST] && is_jump(common, all[A_BEYOND], limit))
        startled = 1;
    for (int64_t r = 0; r < height; r++) {
        double *row = rows + r * V_FIELDS;
        if (isnan(logs[r]))
            continue;
        if (row[V_SEEN] == 0) {
            row[V_LEVEL] = logs[r];
        } else {
            double own = moves[r] - common, rate = fmax(1 / (row[V_SEEN] + 1), limit[L_RATE]);
            int old = row[V_SEEN] >= limit[L_FEWEST];
            deviations[r] = own / fmax(1.2533 * row[V_SPREAD], limit[L_CALM]);
            beyond[r] = old ? outside_of(own, row[V_HIGH], row[V_LOW]) : 0.0;
            if (fabs(moves[r]) > limit[L_OWN] && moves[r] * own > 0 &&
                is_jump(own, beyond[r], limit))
                startled = 1;
            row[V_LEVEL] += rate * (old ? within(moves[r], limit[L_CAP]) : moves[r]);
            own = within(own, limit[L_CAP]);
            row[V_SPREAD] += rate * (fabs(own) - row[V_SPREAD]);
            row[V_HIGH] = relaxed(row[V_HIGH], own, limit[L_RELAX], 1);
            row[V_LOW] = relaxed(row[V_LOW], own, limit[L_RELAX], 0);
        }
        row[V_SEEN] += 1;
    }
    if (known) {
        double rate = fmax(1 / (all[A_SEEN] + 1), limit[L_RATE]);
        common = within(common, limit[L_CAP]);
        all[A_SPREAD] += rate * (fabs(common) - all[A_SPREAD]);
        all[A_HIGH] = relaxed(all[A_HIGH], common, limit[L_RELAX], 1);
        all[A_LOW] = relaxed(all[A_LOW], common, limit[L_RELAX], 0);
        all[A_SEEN] += 1;
    }
    return startled;
}

/* The same for gradients that are yet to be read. */
int64_t paramedic_vigil(const float *const *data, const int64_t *sizes, Vigil *vigil) {
    for (int64_t r = 0; r < vigil->height; r++)
        vigil->squares[r] = 0.0;
    paramedic_squares(data, sizes, vigil->row_of, vigil->vectors, vigil->squares);
    return compare_rows(vigil->squares, vigil);
}

/* The same for norms that are known. */
int64_t paramedic_vigil_of(const float *norms, Vigil *vigil) {
    for (int64_t r = 0; r < vigil->height; r++)
        vigil->squares[r] = (double)norms[r] * norms[r];
    return compare_rows(vigil->squares, vigil);
}

/* The norm of each row and whether it is not finite, into `out` ([2, height]); NaN for a row
 * without vectors. `squares` is scratch. Returns the sum of all squares. With a
 * vigil, it is told whether something jumped: one call is cheaper than two. */
double paramedic_norms(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                       int64_t vectors, int64_t height, double *squares, float *out,
                       Vigil *vigil) {
    for (int64_t r = 0; r < height; r++) {
        squares[r] = 0.0;
        out[r] = out[height + r] = NAN;
    }
    paramedic_squares(data, sizes, row_of, vectors, squares);
    double total = 0.0;
    for (int64_t v = 0; v < vectors; v++) {
        int64_t r = row_of[v];
        out[r] = isfinite(squares[r]) ? (float)sqrt(squares[r]) : INFINITY;
        out[height + r] = !isfinite(squares[r]);
    }
    for (int64_t r = 0; r < height; r++)
        total += isfinite(squares[r]) ? squares[r] : INFINITY;
    if (vigil)
        vigil->jumped = compare_rows(squares, vigil);
    return total;
}

/* Copies every `stride`-th value of all vectors, end to end. */
void paramedic_keep(const float *const *data, const int64_t *sizes, int64_t vectors,
                    int64_t stride, float *kept) {
    for (int64_t v = 0; v < vectors; v++) {
        if (stride == 1) {
            memcpy(kept, data[v], (size_t)sizes[v] * sizeof(float));
            kept += sizes[v];
            continue;
        }
        for (int64_t i = 0; i < sizes[v]; i += stride)
            *kept++ = data[v][i];
    }
}

VECTORISED static void add_move(const float *x, const float *kept, int64_t n, double *moved,
                                double *old) {
    double far = 0.0, base = 0.0;
#pragma omp simd reduction(+ : far, base)
    for (int64_t i = 0; i < n; i++) {
        double before = kept[i], step = (double)x[i] - before;
        far += step * step;
        base += before * before;
    }
    *moved += far;
    *old += base;
}

/* How far the same values have moved since: sums of squares of the move and of the old value. */
void paramedic_moved(const float *const *data, const int64_t *sizes, const int64_t *row_of,
                     int64_t vectors, int64_t stride, const float *kept, double *moved,
                     double *old) {
    float block[BLOCK];
    for (int64_t v = 0; v < vectors; v++) {
        int64_t n = (sizes[v] + stride - 1) / stride;
        for (int64_t start = 0; start < n; start += BLOCK, kept += BLOCK) {
            int64_t count = n - start < BLOCK ? n - start : BLOCK;
            const float *now = data[v] + start;
            if (stride > 1) {
                for (int64_t i = 0; i < count; i++)
                    block[i] = data[v][(start + i) * stride];
                now = block;
            }
            add_move(now, kept, count, moved + row_of[v], old + row_of[v]);
            if (count < BLOCK)
                kept += count - BLOCK;
        }
    }
}

/* Mean, variance, largest absolute value and whether it is not finite, of each vector, into
 * `out` ([4, vectors]). */
void paramedic_levels(const float *const *data, const int64_t *sizes, int64_t vectors,
                      float *out) {
    for (int64_t v = 0; v < vectors; v++) {
        double row[FIELDS] = {0};
        row[LOW] = INFINITY;
        row[HIGH] = -INFINITY;
        int64_t zero = 0;
        paramedic_moments(data + v, sizes + v, &zero, 1, row);
        out[v] = (float)row[MEAN];
        out[vectors + v] = (float)(row[M2] / row[COUNT]);
        out[2 * vectors + v] = row[BAD] > 0 ? INFINITY : (float)fmax(-row[LOW], row[HIGH]);
        out[3 * vectors + v] = row[BAD] > 0;
    }
}

/* The number of features of [rows, features] that have the same value in every row. */
static int64_t paramedic_constant(const float *x, int64_t rows, int64_t features) {
    int64_t constant = 0;
    for (int64_t f = 0; f < features; f++) {
        int64_t row = 1;
        while (row < rows && x[row * features + f] == x[f])
            row++;
        constant += row == rows;
    }
    return constant;
}

/* What is to know of a batch of inputs [rows, features]: count and number of non-finite values,
 * mean, variance, smallest, largest, and how many features are constant over the first `few`. */
void paramedic_input(const float *x, int64_t rows, int64_t features, int64_t few, double *out) {
    double row[FIELDS] = {0};
    row[LOW] = INFINITY;
    row[HIGH] = -INFINITY;
    int64_t zero = 0, size = rows * features;
    paramedic_moments(&x, &size, &zero, 1, row);
    out[0] = row[COUNT];
    out[1] = row[BAD];
    out[2] = row[MEAN];
    out[3] = row[COUNT] > 0 ? row[M2] / row[COUNT] : 0.0;
    out[4] = row[LOW];
    out[5] = row[HIGH];
    out[6] = (double)paramedic_constant(x, few < rows ? few : rows, features);
}

/* Smallest and largest value of an output [rows, width], and how far its rows are from a sum of
 * one, on average. */
void paramedic_output(const float *x, int64_t rows, int64_t width, double *out) {
    double low = INFINITY, high = -INFINITY, error = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int64_t i = 0; i < width; i++) {
            double v = x[r * width + i];
            low = v < low || v != v ? v : low;
            high = v > high || v != v ? v : high;
            sum += v;
        }
        error += fabs(sum - 1.0);
    }
    out[0] = low;
    out[1] = high;
    out[2] = error / (double)rows;
}

/* Adds labels from 0 to below `size` to `counts`; `stamps` tells which were seen in this batch,
 * number `batch`. Smallest, largest and number of distinct labels go into `out`. Returns how many
 * labels were out of that range. */
int64_t paramedic_labels(const int64_t *labels, int64_t n, int64_t size, int64_t batch,
                         int64_t *counts, int64_t *stamps, int64_t *out) {
    int64_t low = INT64_MAX, high = INT64_MIN, distinct = 0, outside = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t label = labels[i];
        low = label < low ? label : low;
        high = label > high ? label : high;
        if (label < 0 || label >= size) {
            outside++;
            continue;
        }
        counts[label]++;
        distinct += stamps[label] != batch;
        stamps[label] = batch;
    }
    out[0] = low;
    out[1] = high;
    out[2] = distinct;
    return outside;
}

/* Whether all values are finite. */
VECTORISED int64_t paramedic_finite(const float *x, int64_t n) {
    float poison = 0.0f;
#pragma omp simd reduction(+ : poison)
    for (int64_t i = 0; i < n; i++)
        poison += x[i] * 0.0f;
    return poison == 0.0f;
}

/* The number of units that are nowhere above zero, in an array [outer, units, inner]. */
int64_t paramedic_dead(const float *x, int64_t outer, int64_t units, int64_t inner) {
    int64_t dead = 0;
    for (int64_t u = 0; u < units; u++) {
        int active = 0;
        for (int64_t o = 0; o < outer && !active; o++) {
            const float *run = x + (o * units + u) * inner;
            for (int64_t i = 0; i < inner && !active; i++)
                active = !(run[i] <= 0.0f);
        }
        dead += !active;
    }
    return dead;
}

/* The number of values below `low` or above `high`. */
VECTORISED int64_t paramedic_outside(const float *x, int64_t n, float low, float high) {
    int64_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int64_t i = 0; i < n; i++)
        count += (x[i] < low) | (x[i] > high);
    return count;
}
