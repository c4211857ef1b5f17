// The guided start: two runs in about twenty seconds, and what to look at.

const wait = (milliseconds, signal) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
    });
});

/// Guides through two runs. `lab` has `set(values)`, `start()`, which resolves at the end of the run,
/// `cancel()` and `say(text)`. Aborting the signal ends the tour, but not a run.
export async function tour(lab, signal) {
    lab.set({latency: 300, failures: 0, width: 4, fault: null});
    lab.say("All six ways load the same 24 images. Each server takes 300 ms to respond.");
    const first = lab.start();
    await wait(2500, signal);
    lab.say("The group was done in under a second: the engine's limit of 8 connections per host is all that held it back. One by one needs 24 times as long as one image.");
    await first;
    signal.throwIfAborted();
    lab.say("Again, with slow servers. This time everything is cancelled after one second…");
    await wait(2500, signal);
    lab.set({latency: 2000});
    const second = lab.start();
    await wait(1200, signal);
    await lab.cancel();
    lab.say("Four ways have stopped within milliseconds, because cancelling a task cancels its children. Unstructured tasks and callbacks still load what nobody wants.");
    await second;
    signal.throwIfAborted();
    lab.say("That is why Calotype is structured from end to end. Now move the sliders, and make the servers misbehave.");
}
