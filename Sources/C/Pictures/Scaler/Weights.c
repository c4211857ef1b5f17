#include "CScaler.h"

#include <math.h>

/// The angle at a distance of one lobe, for the sines of the filter.
static const double third = 1.0471975511965977;

static double lanczos3(double x, double sine) {
    // sinc(x) sinc(x / 3) = sin(3a) sin(a) / (3 a^2) with a = pi x / 3, and sin(3a) = 3 sin(a) - 4 sin(a)^3.
    if (fabs(x) < 1e-6) return 1;
    if (fabs(x) >= 3) return 0;
    const double a = third * x, square = sine * sine;
    return square * (3 - 4 * square) / (3 * a * a);
}

static void reverse(double *weights, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        const double weight = weights[i];
        weights[i] = weights[count - 1 - i];
        weights[count - 1 - i] = weight;
    }
}

double cscaler_lanczos3(const cscaler_filter *filters, size_t count, double step, double *weights) {
    // The sine of each angle follows from the sines and cosines of the previous angle and of the step.
    const double sine_step = sin(third * step), cosine_step = cos(third * step);
    double most = 0;
    for (const cscaler_filter *filter = filters; filter < filters + count; weights += filter->count, filter++) {
        double sine = sin(third * filter->offset), cosine = cos(third * filter->offset), sum = 0;
        for (uint32_t i = 0; i < filter->count; i++) {
            sum += weights[i] = lanczos3(filter->offset + i * step, sine);
            const double next = sine * cosine_step + cosine * sine_step;
            cosine = cosine * cosine_step - sine * sine_step;
            sine = next;
        }
        const double factor = 1 / sum;
        for (uint32_t i = 0; i < filter->count; i++) {
            weights[i] *= factor;
            if (weights[i] > most) most = weights[i];
        }
        if (filter->is_mirrored) reverse(weights, filter->count);
    }
    return most;
}

void cscaler_fixed_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, int shift,
    int16_t *pairs
) {
    const double one = (double)(1 << shift);
    // Makes all partial sums positive, so that truncating them rounds them to nearest.
    const long above = 2L << shift;
    for (size_t index = 0; index < count; index++) {
        int16_t *out = pairs + 2 * spans[index].weights + filters[index].first % 2;
        // Differences of rounded partial sums, so that the sum of the weights is exact, no matter how small
        // each weight is.
        double sum = (double)above + 0.5;
        long before = above;
        for (uint32_t i = 0; i < filters[index].count; i++) {
            sum += *weights++ * one;
            const long rounded = i + 1 < filters[index].count ? (long)sum : above + (1L << shift);
            out[i] = (int16_t)(rounded - before);
            before = rounded;
        }
    }
}

void cscaler_float_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, float *pairs
) {
    for (size_t index = 0; index < count; index++) {
        float *out = pairs + 2 * spans[index].weights + filters[index].first % 2;
        for (uint32_t i = 0; i < filters[index].count; i++) out[i] = (float)*weights++;
    }
}
