// Runs the resampler's loops over random pictures and compares them with double precision: on processors and under sanitizers
// where the package's own tests do not run. See script/check-scaler.
#include "CScaler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;
static unsigned below(unsigned limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % limit);
}

typedef struct { int samples, scaled; cscaler_filter *filters; cscaler_span *spans; double *weights; void *pairs; int shift; } axis;

static axis made_axis(int samples, int scaled, int is_fixed, int places) {
    axis a = {samples, scaled, calloc(scaled, sizeof(cscaler_filter)), calloc(scaled, sizeof(cscaler_span)), 0, 0, 0};
    const double ratio = (double)samples / scaled, stretch = ratio > 1 ? ratio : 1;
    size_t taps = 0, pairs = 0;
    for (int i = 0; i < scaled; i++) {
        const double centre = (i + 0.5) * ratio;
        int first = (int)floor(centre - 3 * stretch - 0.5) + 1, last = (int)ceil(centre + 3 * stretch - 0.5) - 1;
        if (first < 0) first = 0;
        if (last > samples - 1) last = samples - 1;
        a.filters[i] = (cscaler_filter){first, last - first + 1, (first + 0.5 - centre) / stretch, 0};
        a.spans[i] = (cscaler_span){first / 2, last / 2 - first / 2 + 1, pairs};
        taps += a.filters[i].count;
        pairs += a.spans[i].count;
    }
    a.weights = calloc(taps, sizeof(double));
    const double most = cscaler_lanczos3(a.filters, scaled, 1 / stretch, a.weights);
    a.pairs = calloc(pairs, is_fixed ? 4 : 8);
    if (is_fixed) {
        for (a.shift = places; most * (1 << a.shift) > 32766; a.shift--) {}
        cscaler_fixed_pairs(a.filters, a.spans, scaled, a.weights, a.shift, a.pairs);
    } else
        cscaler_float_pairs(a.filters, a.spans, scaled, a.weights, a.pairs);
    return a;
}

static void freed(axis a) { free(a.filters); free(a.spans); free(a.weights); free(a.pairs); }

static double linear(double v) { v /= 255; return 255 * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)); }
static double curved(double v) {
    v = fmin(fmax(v / 255, 0), 1);
    return 255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055);
}

/// The picture in double precision, with the weights that are given.
static double *reference(const uint8_t *picture, axis rows, axis columns, cscaler_conversion c) {
    const int w = columns.samples, h = rows.samples, n = c.channels, alpha = n - 1;
    double *in = calloc((size_t)w * h * n, sizeof(double)), *mid = calloc((size_t)w * rows.scaled * n, sizeof(double));
    double *out = calloc((size_t)columns.scaled * rows.scaled * n, sizeof(double));
    for (int i = 0; i < w * h * n; i++) {
        const int is_alpha = c.has_alpha && i % n == alpha;
        in[i] = c.is_linear && !is_alpha ? linear(picture[i]) : picture[i];
        if (c.has_alpha && !is_alpha) in[i] *= picture[i - i % n + alpha] / 255.0;
    }
    const double *weight = rows.weights;
    for (int y = 0; y < rows.scaled; weight += rows.filters[y++].count)
        for (int x = 0; x < w * n; x++)
            for (unsigned k = 0; k < rows.filters[y].count; k++)
                mid[y * w * n + x] += weight[k] * in[(rows.filters[y].first + k) * w * n + x];
    for (int y = 0; y < rows.scaled; y++) {
        weight = columns.weights;
        for (int x = 0; x < columns.scaled; weight += columns.filters[x++].count) {
            double *pixel = out + ((size_t)y * columns.scaled + x) * n;
            for (int channel = 0; channel < n; channel++)
                for (unsigned k = 0; k < columns.filters[x].count; k++)
                    pixel[channel] += weight[k] * mid[(y * w + columns.filters[x].first + k) * n + channel];
            for (int channel = 0; channel < n - c.has_alpha; channel++) {
                if (c.has_alpha) pixel[channel] = pixel[alpha] < 0.5 ? 0 : pixel[channel] * 255 / pixel[alpha];
                pixel[channel] = c.is_linear ? curved(pixel[channel]) : fmin(fmax(pixel[channel], 0), 255);
            }
            if (c.has_alpha) pixel[alpha] = fmin(fmax(pixel[alpha], 0), 255);
        }
    }
    free(in);
    free(mid);
    return out;
}

/// The largest difference of the loops' output from `expected`.
static double difference(
    const cscaler_kernels *kernels, const uint8_t *picture, axis rows, axis columns, cscaler_conversion c, const double *expected
) {
    const cscaler_arithmetic *a = !c.has_alpha && !c.is_linear ? &kernels->fixed : &kernels->floating;
    const int w = columns.samples, h = rows.samples, n = c.channels;
    const size_t pixels = (w + CSCALER_TILE - 1) / CSCALER_TILE * CSCALER_TILE, samples = pixels * n;
    const size_t made = ((size_t)columns.scaled * n + 7) / 8 * 8, count = (h + 1) / 2;
    void **pairs = calloc(count, sizeof(void *));
    uint8_t *staged = cscaler_allocate(2 * samples), *bytes = cscaler_allocate(8 * made);
    for (size_t p = 0; p < count; p++) {
        pairs[p] = cscaler_allocate(samples * a->pair_bytes);
        for (int k = 0; k < 2 && 2 * p + k < (size_t)h; k++)
            memcpy(staged + k * samples, picture + (2 * p + k) * w * n, (size_t)w * n);
        a->pair(pairs[p], staged, staged + samples, samples, c);
    }
    char *lines = cscaler_allocate(8 * samples * a->line_bytes), *columns8 = cscaler_allocate(8 * samples * a->line_bytes);
    void *sums = cscaler_allocate(samples * a->sum_bytes);
    int16_t *levels = cscaler_allocate(8 * made * sizeof(int16_t));
    double worst = 0;
    for (int y = 0; y < rows.scaled; y++) {
        const cscaler_span span = rows.spans[y];
        const char *weights = (const char *)rows.pairs + span.weights * 2 * a->weight_bytes;
        const void *const *first = (const void *const *)pairs + span.first;
        const size_t begun = below(span.count);
        if (begun) a->down(first, weights, begun, rows.shift, samples, NULL, sums, NULL);
        a->down(first + begun, weights + begun * 2 * a->weight_bytes, span.count - begun, rows.shift, samples,
                begun ? sums : NULL, NULL, lines + y % 8 * samples * a->line_bytes);
        if (y % 8 < 7 && y + 1 < rows.scaled) continue;
        a->turn(lines, samples, pixels, n, columns8);
        a->across(columns8, 0, columns.spans, columns.pairs, columns.shift, columns.scaled, c, levels);
        kernels->bytes(levels, made, bytes, made);
        for (int row = y - y % 8; row <= y; row++)
            for (int x = 0; x < columns.scaled * n; x++) {
                const double *level = expected + (size_t)row * columns.scaled * n + x;
                const double alpha = c.has_alpha ? level[n - 1 - x % n] : 255;
                if (alpha > 0.4 && alpha < 0.6) continue;
                worst = fmax(worst, fabs(bytes[row % 8 * made + x] - *level));
            }
    }
    for (size_t p = 0; p < count; p++) cscaler_free(pairs[p]);
    free(pairs);
    cscaler_free(staged), cscaler_free(bytes), cscaler_free(lines), cscaler_free(columns8), cscaler_free(sums), cscaler_free(levels);
    return worst;
}

int main(int count, char **arguments) {
    const int rounds = count > 1 ? atoi(arguments[1]) : 300;
    double worst = 0;
    for (int round = 0; round < rounds; round++) {
        cscaler_conversion c = {1 + (int)below(4), 0, (int)below(2)};
        c.has_alpha = c.channels % 2 == 0;
        const int is_fixed = !c.has_alpha && !c.is_linear, most = round % 3 ? 20 : 120;
        const int w = 1 + below(most), h = 1 + below(most), is_harsh = below(2);
        axis rows = made_axis(h, 1 + below(most), is_fixed, 22), columns = made_axis(w, 1 + below(most), is_fixed, 16);
        uint8_t *picture = malloc((size_t)w * h * c.channels);
        for (int i = 0; i < w * h * c.channels; i++) picture[i] = is_harsh ? 255 * below(2) : below(256);
        double *expected = reference(picture, rows, columns, c);
        const double one = difference(cscaler_baseline(), picture, rows, columns, c, expected);
        const double other = difference(cscaler_fastest(), picture, rows, columns, c, expected);
        worst = fmax(worst, fmax(one, other));
        if (fmax(one, other) > (c.is_linear ? 0.58 : 0.55)) {
            printf("%dx%d to %dx%d, %d samples, %s: %.3f and %.3f levels off\n", w, h, columns.scaled, rows.scaled, c.channels,
                   c.is_linear ? "linear" : "as they are", one, other);
            return 1;
        }
        freed(rows), freed(columns), free(picture), free(expected);
    }
    printf("%d pictures, at most %.3f levels off (0.5 is rounding)\n", rounds, worst);
    return 0;
}
