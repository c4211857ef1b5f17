// Fingers and the mouse on an image.

/// How far a finger moves sideways until it counts as a swipe, and a pointer at all until it no longer counts as a click; in CSS pixels.
const SWIPE = 50;
const DRAG = 8;

/// Calls `step(1)` after a swipe to the left on `element`, and `step(-1)` after one to the right.
export function swiped(element, step) {
    let start = null;
    element.addEventListener("pointerdown", event => (start = event.isPrimary && event.pointerType === "touch" ? event : null));
    element.addEventListener("pointercancel", () => (start = null));
    element.addEventListener("pointerup", event => {
        if (!start || !event.isPrimary) return;
        const [across, down] = [event.clientX - start.clientX, event.clientY - start.clientY];
        start = null;
        if (Math.abs(across) > Math.max(SWIPE, 2 * Math.abs(down))) step(across < 0 ? 1 : -1);
    });
}

/// Scrolls `element` with the mouse while `canDrag()`; calls `click(event)` for a click that did not drag or swipe.
export function dragged(element, canDrag, click) {
    let last = null;
    let moved = 0;
    element.addEventListener("pointerdown", event => {
        moved = 0;
        last = event;
    });
    element.addEventListener("pointermove", event => {
        if (!last || !event.buttons) return;
        const [across, down] = [event.clientX - last.clientX, event.clientY - last.clientY];
        moved += Math.abs(across) + Math.abs(down);
        last = event;
        if (event.pointerType !== "mouse" || !canDrag() || moved < DRAG) return;
        element.classList.add("dragged");
        if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
        element.scrollBy({left: -across, top: -down, behavior: "instant"});
    });
    const end = () => {
        last = null;
        element.classList.remove("dragged");
    };
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
    element.addEventListener("click", event => moved < DRAG && click(event));
}
