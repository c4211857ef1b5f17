// The page's colours for drawing on a canvas; they follow the user's choice of light or dark.

const DARK = matchMedia("(prefers-color-scheme: dark)");

/// The style's names for the stages' colours.
const STAGES = {
    "queue": "queue", "connect": "connect", "first byte": "wait", "body": "body", "decode": "decode", "encode": "encode", "store": "store",
};

export class Palette {
    #element;
    #stages = new Map();

    /// Reads the colours of `element`, now and when they change.
    constructor(element) {
        this.#element = element;
        this.#read();
        DARK.addEventListener("change", () => this.#read());
    }

    stage(name) {
        return this.#stages.get(name) ?? this.line;
    }

    #read() {
        const style = getComputedStyle(this.#element);
        const colour = name => style.getPropertyValue(`--${name}`).trim();
        for (const name of ["line", "muted", "sunken", "surface", "text", "stop"]) this[name] = colour(name);
        this.memory = colour("good");
        for (const [stage, name] of Object.entries(STAGES)) this.#stages.set(stage, colour(`stage-${name}`));
        this.font = `11px ${style.fontFamily}`;
        this.hatched = hatch(colour("muted"), colour("surface"));
        this.failedTry = hatch(colour("stop"), colour("bad-soft"));
    }
}

/// Stripes, for waiting for another load's work.
function hatch(ink, ground) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const context = tile.getContext("2d");
    context.fillStyle = ground;
    context.fillRect(0, 0, 6, 6);
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const shift of [-6, 0, 6]) {
        context.moveTo(shift, 6);
        context.lineTo(shift + 6, 0);
    }
    context.stroke();
    return context.createPattern(tile, "repeat");
}
