// The bars of loads. Each stage has a letter or its name beside its colour; waiting is pale, and a cancelled load is
// an outline.

import {isWaiting} from "./palette.js";
import {nameOf, time} from "../lib/words.js";

/// Minimum widths in CSS pixels for a letter and for words, and the room around them.
const LETTER = 11;
const WORDS = 44;
const PADDING = 4;
/// The lowest bar with text.
const TEXT_HEIGHT = 12;

/// Draws a load as a bar at `place`; `scale(time)` returns the position of a time, and `duration` is that of the load.
export function drawBar(context, palette, load, place, scale, duration) {
    const {left, right, y, height, width} = place;
    const isCancelled = load.state === "cancelled";
    if (!isCancelled) {
        context.fillStyle = palette.line;
        context.fillRect(left, y, right - left, height);
    }
    const tries = load.stages.filter(isFailedTry);
    const parts = [];
    for (const stage of [...tries, ...load.stages.filter(stage => !isFailedTry(stage))]) {
        const begin = Math.max(scale(stage.start), left);
        const end = Math.min(Math.max(scale(stage.end), begin + 1), right);
        // A failed attempt is hatched in its upper half, above its parts.
        const isOfTry = !isFailedTry(stage) && tries.some(one => stage.start >= one.start && stage.start < one.end);
        const part = {stage, begin, end, y: isOfTry ? y + height / 2 : y, height: isOfTry ? height / 2 : height};
        if (end < 0 || begin > width) continue;
        if (isCancelled) context.globalAlpha = 0.3;
        drawPart(context, palette, part);
        context.globalAlpha = 1;
        if (!isOfTry) parts.push({...part, begin: Math.max(begin, 0), end: Math.min(end, width)});
    }
    if (height >= TEXT_HEIGHT) drawText(context, palette, load, parts, duration, isCancelled, {...place, left: Math.max(left, 0), right: Math.min(right, width)});
    if (isCancelled) drawCancelled(context, palette, place);
    if (load.state === "failed") drawFailure(context, palette, right, y, height);
}

/// Draws a cache hit as a mark: of the whole height for one from memory, of half of it for one from disk.
export function drawPoint(context, palette, {origin}, x, y, height) {
    const isFromMemory = origin === "memory";
    context.fillStyle = isFromMemory ? palette.memory : palette.stage("store");
    const tall = isFromMemory ? height : height / 2;
    context.fillRect(Math.round(x) - 1, y + height - tall, isFromMemory ? 2 : 4, tall);
}

function drawPart(context, palette, {stage, begin, end, y, height}) {
    context.fillStyle = palette.stage(stage.name);
    context.fillRect(begin, y, end - begin, height);
    if (!isWaiting(stage.name) || end - begin < 3) return;
    // What waits is pale, so it needs an edge.
    context.strokeStyle = palette.lineStrong;
    context.lineWidth = 1;
    context.strokeRect(begin + 0.5, y + 0.5, end - begin - 1, height - 1);
}

/// Writes the load's name and duration on its widest stage, and names or letters on the others.
function drawText(context, palette, load, parts, duration, isCancelled, {left, right, y, height}) {
    context.font = palette.smallFont;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const title = `${nameOf(load.source)} ${time(duration)}`;
    if (isCancelled) return void write(context, palette.text, title, left, right, y, height, palette.surface);
    const widest = parts.reduce((one, other) => (other.end - other.begin > (one ? one.end - one.begin : 0) ? other : one), null);
    for (const part of parts) {
        const {stage, begin, end} = part;
        const room = end - begin;
        if (room < LETTER) continue;
        const ground = palette.isHatched(stage.name) ? palette.surface : null;
        const ink = palette.ink(stage.name);
        const texts = part === widest ? [title, stage.name] : [`${stage.name} ${time((stage.end ?? load.start + duration) - stage.start)}`, stage.name];
        const fitting = texts.find(text => widthOf(context, text) <= room - 2 * PADDING);
        if (fitting || (part === widest && room >= WORDS)) write(context, ink, fitting ?? title, begin, end, y, height, ground);
        else write(context, ink, letterOf(stage.name), begin, end, y, height, ground, true);
    }
}

/// Writes a text, shortened if it is too wide, on `ground` if that is a colour.
function write(context, ink, text, left, right, y, height, ground, isLetter = false) {
    const padding = isLetter ? 2 : PADDING;
    const room = right - left - 2 * padding;
    const shown = isLetter ? text : shortened(context, text, room);
    if (shown === "") return;
    if (ground) {
        context.fillStyle = ground;
        context.fillRect(left + padding - 2, y + 2, widthOf(context, shown) + 4, height - 4);
    }
    context.fillStyle = ink;
    context.fillText(shown, left + padding, y + height / 2 + 0.5);
}

function shortened(context, text, room) {
    const width = widthOf(context, text);
    if (width <= room) return text;
    const length = Math.floor((text.length * room) / width) - 1;
    return length < 2 ? "" : `${text.slice(0, length)}…`;
}

function drawCancelled(context, palette, {left, right, y, height}) {
    context.strokeStyle = palette.stop;
    context.lineWidth = 2;
    context.strokeRect(left + 1, y + 1, Math.max(right - left - 2, 1), height - 2);
    // A stroke through the end.
    context.beginPath();
    context.moveTo(Math.max(right - height, left), y + height - 1);
    context.lineTo(right, y + 1);
    context.stroke();
}

function drawFailure(context, palette, x, y, height) {
    context.fillStyle = palette.stop;
    context.beginPath();
    context.arc(x, y + height / 2, height / 2 + 1, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = palette.surface;
    context.lineWidth = 2;
    context.beginPath();
    for (const slope of [1, -1]) {
        context.moveTo(x - 2.5, y + height / 2 - 2.5 * slope);
        context.lineTo(x + 2.5, y + height / 2 + 2.5 * slope);
    }
    context.stroke();
}

/// Returns the letter that stands for a stage if there is no room for its name.
export function letterOf(stage) {
    return stage === "failed try" ? "!" : stage[0].toUpperCase();
}

const widths = new Map();

function widthOf(context, text) {
    const key = `${context.font} ${text}`;
    if (widths.size > 2000) widths.clear();
    if (!widths.has(key)) widths.set(key, context.measureText(text).width);
    return widths.get(key);
}

function isFailedTry({name}) {
    return name === "failed try";
}
