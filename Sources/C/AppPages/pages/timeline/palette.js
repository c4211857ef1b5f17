// The page's colours for drawing on a canvas; they follow the user's choice of light, dark or forced colours.

const CHOICES = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map(query => matchMedia(query));

/// The style's names for the stages' colours.
const STAGES = {
    "queue": "queue", "connect": "connect", "first byte": "wait", "body": "body", "decode": "decode", "encode": "encode", "store": "store",
};
const WAITING = new Set(["queue", "wait"]);

/// Calls `action` when the user chooses other colours.
export function onColours(action) {
    for (const choice of CHOICES) choice.addEventListener("change", action);
}

/// Whether a stage is waiting, not work.
export function isWaiting(stage) {
    return WAITING.has(stage);
}

export class Palette {
    #element;
    #stages = new Map();
    #inks = new Map();
    #hatched = new Map();

    /// Reads the colours of `element`, now and when they change.
    constructor(element) {
        this.#element = element;
        this.#read();
        onColours(() => this.#read());
    }

    /// Returns the colour or pattern of a stage.
    stage(name) {
        return this.#hatched.get(name) ?? this.#stages.get(name) ?? this.line;
    }

    /// Returns the colour of text on a stage.
    ink(name) {
        return this.#inks.get(name) ?? this.text;
    }

    /// Whether a stage has stripes, on which text cannot be read.
    isHatched(name) {
        return this.#hatched.has(name);
    }

    #read() {
        const style = getComputedStyle(this.#element);
        const context = document.createElement("canvas").getContext("2d");
        // Names of the system's colours become figures.
        const colour = name => {
            context.fillStyle = style.getPropertyValue(`--${name}`).trim();
            return context.fillStyle;
        };
        for (const name of ["line", "muted", "sunken", "surface", "text", "stop", "accent"]) this[name] = colour(name);
        this.lineStrong = colour("line-strong");
        this.memory = colour("good");
        for (const [stage, name] of Object.entries(STAGES)) {
            this.#stages.set(stage, colour(`stage-${name}`));
            this.#inks.set(stage, inkOn(colour(`stage-${name}`)));
        }
        this.font = `11px ${style.fontFamily}`;
        this.smallFont = `10px ${style.fontFamily}`;
        this.boldFont = `600 11px ${style.fontFamily}`;
        this.#hatched.set("wait", hatch(colour("muted"), colour("surface")));
        this.#hatched.set("failed try", hatch(colour("stop"), colour("bad-soft")));
    }
}

/// Returns black or white, whichever has more contrast to a colour like `#rrggbb`.
function inkOn(colour) {
    const [red, green, blue] = [1, 3, 5].map(at => linear(parseInt(colour.slice(at, at + 2), 16) / 255));
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

function linear(part) {
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/// Stripes, for waiting for another load's work and for failed attempts.
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
