"""How far a picture is from its reference: SSIM and PSNR, in numpy."""

import numpy

# Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004; for samples of 0 to 255.
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
BLOCK = 8
SIGMA, REACH = 1.5, 5
# No picture that is stored in bytes is nearer than this to a reference that is not rounded, but for flat ones.
MOST_DECIBELS = 99.0


def luma(rgb: numpy.ndarray) -> numpy.ndarray:
    """Returns Y of ITU-R BT.601, full range, as JPEG has it."""
    return rgb @ numpy.array([0.299, 0.587, 0.114], dtype=rgb.dtype)


def ssim_blocks(one: numpy.ndarray, other: numpy.ndarray) -> float:
    """Returns the mean SSIM of the whole blocks of 8 x 8; NaN if there is none."""
    height, width = (side // BLOCK * BLOCK for side in one.shape)
    if not height or not width:
        return float("nan")
    one, other = (
        plane[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).astype(numpy.float64)
        for plane in (one, other)
    )  # fmt: skip
    mean = lambda values: values.mean(axis=(1, 3))
    return float(ssim(mean(one), mean(other), mean(one * one), mean(other * other), mean(one * other)).mean())


def ssim_gaussian(one: numpy.ndarray, other: numpy.ndarray) -> float:
    """Returns the mean SSIM under a Gaussian window of 11 x 11, where the whole window is inside."""
    if min(one.shape) < 2 * REACH + 1:
        return float("nan")
    one, other = one.astype(numpy.float32), other.astype(numpy.float32)
    # Squares of numbers around zero lose less in single precision.
    middle = numpy.float32(one.mean())
    one, other = one - middle, other - middle
    moments = [blurred(plane) for plane in (one, other, one * one, other * other, one * other)]
    one_mean, other_mean, one_square, other_square, product = moments
    variances = one_square - one_mean**2, other_square - other_mean**2, product - one_mean * other_mean
    return float(similarity(one_mean + middle, other_mean + middle, *variances).mean())


def ssim(one, other, one_square, other_square, product):
    return similarity(one, other, one_square - one**2, other_square - other**2, product - one * other)


def similarity(one, other, one_variance, other_variance, covariance):
    return ((2 * one * other + C1) * (2 * covariance + C2)) / (
        (one**2 + other**2 + C1) * (one_variance + other_variance + C2)
    )


def blurred(plane: numpy.ndarray) -> numpy.ndarray:
    weights = numpy.exp(-(numpy.arange(-REACH, REACH + 1) ** 2) / (2 * SIGMA**2)).astype(numpy.float32)
    weights /= weights.sum()
    for axis in (0, 1):
        length = plane.shape[axis] - 2 * REACH
        parts = (plane.take(range(at, at + length), axis) * weight for at, weight in enumerate(weights))
        plane = sum(parts)
    return plane


def psnr(one: numpy.ndarray, other: numpy.ndarray) -> float:
    """Returns the peak signal-to-noise ratio in dB."""
    error = float(numpy.mean((one.astype(numpy.float64) - other) ** 2))
    return MOST_DECIBELS if error == 0 else min(MOST_DECIBELS, 10 * float(numpy.log10(255**2 / error)))
