// The requested sizes of images.

const SIDES = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// Returns the size in pixels to request: `length` CSS pixels on this screen, rounded up to one of a few
/// sizes, so that screens share the server's cache entries.
export function sideFor(length) {
    const wanted = length * (window.devicePixelRatio || 1);
    return SIDES.find(side => side >= wanted) ?? SIDES.at(-1);
}
