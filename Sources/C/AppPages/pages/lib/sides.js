// The requested sizes of images.

const SIDES = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096];

/// The largest side of an image on its own; smaller images keep their size.
export const MOST = SIDES.at(-1);
/// The largest side of one of many images.
const MOST_OF_MANY = 1024;

/// Returns the size in pixels to request, at most `most`: `length` CSS pixels on this screen, rounded up to one of a few
/// sizes, so that screens share the server's cache entries.
export function sideFor(length, most = MOST_OF_MANY) {
    const wanted = length * (window.devicePixelRatio || 1);
    return SIDES.find(side => side >= wanted || side === most);
}
