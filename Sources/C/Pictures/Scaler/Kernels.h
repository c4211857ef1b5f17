// All loops in one table called KERNELS; included once for each kind of processor.
#include "Fixed.h"
#include "Float.h"
#include "Levels.h"

const cscaler_kernels KERNELS = {
    .fixed = {2, sizeof(int16_t), sizeof(int32_t), sizeof(int16_t),
              fixed_pair, fixed_down, fixed_turn, fixed_across},
    .floating = {2 * sizeof(float), sizeof(float), sizeof(float), sizeof(float),
                 float_pair, float_down, float_turn, float_across},
    .join = levels_join,
    .bytes = levels_bytes,
};
