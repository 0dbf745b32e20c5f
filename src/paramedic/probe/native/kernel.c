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

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VECTORISED
#endif

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
    block[ABSOLUTE] = range.absolute;
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

/* The sum of squares of each vector; not finite only if one of its values is not. */
void paramedic_squares(const float *const *data, const int64_t *sizes, int64_t vectors,
                       double *squares) {
    for (int64_t v = 0; v < vectors; v++) {
        double sum = 0.0;
        for (int64_t start = 0; start < sizes[v]; start += BLOCK) {
            int64_t n = sizes[v] - start < BLOCK ? sizes[v] - start : BLOCK;
            double block = square_block(data[v] + start, n);
            /* A float32 square over- or underflows long before the value does. */
            sum += block > 1e-30 && block < 1e38 ? block : square_exactly(data[v] + start, n);
        }
        squares[v] = sum;
    }
}

/* Copies every `stride`-th value of all vectors, end to end. */
void paramedic_keep(const float *const *data, const int64_t *sizes, int64_t vectors,
                    int64_t stride, float *kept) {
    for (int64_t v = 0; v < vectors; v++)
        for (int64_t i = 0; i < sizes[v]; i += stride)
            *kept++ = data[v][i];
}

/* How far the same values have moved since: sums of squares of the move and of the old value. */
VECTORISED void paramedic_moved(const float *const *data, const int64_t *sizes,
                                const int64_t *row_of, int64_t vectors, int64_t stride,
                                const float *kept, double *moved, double *old) {
    for (int64_t v = 0; v < vectors; v++) {
        const float *x = data[v];
        int64_t n = (sizes[v] + stride - 1) / stride;
        double far = 0.0, base = 0.0;
#pragma omp simd reduction(+ : far, base)
        for (int64_t i = 0; i < n; i++) {
            double before = kept[i], step = (double)x[i * stride] - before;
            far += step * step;
            base += before * before;
        }
        moved[row_of[v]] += far;
        old[row_of[v]] += base;
        kept += n;
    }
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
