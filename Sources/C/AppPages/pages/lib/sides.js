// The sizes that pictures are asked for in.

const SIDES = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// The side in pixels to ask the server for: that of `length` CSS pixels on this screen, rounded up to one of a few, so that
/// screens share what the server keeps.
export function sideFor(length) {
    const wanted = length * (window.devicePixelRatio || 1);
    return SIDES.find(side => side >= wanted) ?? SIDES.at(-1);
}
