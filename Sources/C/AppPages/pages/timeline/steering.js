// Zooming and panning the chart with the wheel, by dragging, and with keys.

/// The factor of one step of zooming.
export const STEP = 1.5;
/// The part of the period by which one step pans.
const PART = 0.2;
/// The factor of zooming for each pixel of the wheel.
const WHEEL = 1.002;
/// The part of the period at its end that counts as its end.
const EDGE = 0.05;
/// A pointer that moves less than this, in CSS pixels, clicks.
const CLICK = 4;

/// Lets the user change the period of `chart`, a `MovingChart` in `view`. The wheel zooms with Ctrl and pans with
/// Shift; otherwise it scrolls, so it never keeps anybody from scrolling the page. A drag pans unless
/// `isMeasuring(event)`.
export function steer(chart, view, isMeasuring) {
    const {window: period} = chart;
    const keys = {
        "w": () => period.zoom(1 / STEP), "+": () => period.zoom(1 / STEP), "=": () => period.zoom(1 / STEP),
        "s": () => period.zoom(STEP), "-": () => period.zoom(STEP),
        "a": () => period.pan(-period.span * PART), "d": () => period.pan(period.span * PART),
        "home": () => period.pan(-Infinity), "end": () => period.goLive(),
    };
    view.addEventListener("keydown", event => {
        const act = keys[event.key.toLowerCase()];
        if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        act();
    });
    view.addEventListener("wheel", event => {
        const {deltaX, deltaY, clientX} = event;
        if (event.ctrlKey) period.zoom(WHEEL ** deltaY, timeToKeep(chart, clientX));
        else if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) period.pan(chart.milliseconds(deltaX || deltaY));
        else return;
        event.preventDefault();
    }, {passive: false});
    drag(view, event => {
        if (isMeasuring(event)) return null;
        let {clientX: x, clientY: y} = event;
        return next => {
            period.pan(chart.milliseconds(x - next.clientX));
            view.scrollTop += y - next.clientY;
            [x, y] = [next.clientX, next.clientY];
        };
    });
}

/// Returns the time that keeps its place while the pointer zooms. A live period stays live at its right edge.
function timeToKeep(chart, clientX) {
    const {window: period} = chart;
    const time = chart.timeAt(clientX);
    return period.isLive && time > period.end - EDGE * period.span ? period.end : time;
}

/// Calls `begin(event)` when a pointer begins to drag `view`, and the function that it returns for each movement. A
/// drag is not a click.
export function drag(view, begin) {
    view.addEventListener("pointerdown", down => {
        if (down.button !== 0 || !down.isPrimary || down.offsetX > view.clientWidth) return;
        const move = begin(down);
        if (!move) return;
        const abort = new AbortController();
        let isDragged = false;
        const moved = event => {
            isDragged ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) >= CLICK;
            if (!isDragged) return;
            view.setPointerCapture(down.pointerId);
            view.classList.add("is-dragged");
            move(event);
        };
        const ended = () => {
            abort.abort();
            view.classList.remove("is-dragged");
            // The click that follows belongs to the drag.
            if (isDragged) view.addEventListener("click", event => event.stopImmediatePropagation(), {capture: true, once: true, signal: AbortSignal.timeout(100)});
        };
        view.addEventListener("pointermove", moved, {signal: abort.signal});
        for (const kind of ["pointerup", "pointercancel"]) view.addEventListener(kind, ended, {signal: abort.signal});
    });
}
