// The loads as a file in the Trace Event Format, which Perfetto and chrome://tracing open.

import {nameOf} from "../lib/words.js";

const PROCESS = 1;

/// Returns a trace of `loads` at `now`: a track for each load, with its stages below the load itself. The format is
/// described in "Trace Event Format" by the Chromium project; its times are in microseconds.
export function traceOf(loads, now) {
    const events = [metadata("process_name", 0, {name: "Calotype"})];
    loads.forEach((load, index) => {
        const track = index + 1;
        events.push(metadata("thread_name", track, {name: `${load.id} ${nameOf(load.source)}`}), metadata("thread_sort_index", track, {sort_index: track}));
        events.push(...eventsOf(load, track, now));
    });
    return {traceEvents: events, displayTimeUnit: "ms"};
}

/// Offers `trace` as a download.
export function download(trace) {
    const address = URL.createObjectURL(new Blob([JSON.stringify(trace)], {type: "application/json"}));
    const link = document.createElement("a");
    link.href = address;
    link.download = `calotype-trace-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.json`;
    link.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function eventsOf(load, track, now) {
    const {id, source, state, code, origin, bytes, joined, start} = load;
    const stages = load.stages.map(stage => ({...stage, end: stage.end ?? load.end ?? now}));
    const end = Math.max(load.end ?? now, ...stages.map(stage => stage.end));
    const all = [{name: nameOf(source) || `load ${id}`, category: "load", start, end, args: {id, source, state, code, origin, bytes, joined}}];
    for (const {name, start: begin, end: stop} of stages) all.push({name, category: "stage", start: Math.max(begin, start), end: stop, args: {}});
    // Events of a track must lie within each other: an event ends at the latest where the one around it does.
    const around = [];
    return all.sort((one, other) => one.start - other.start || other.end - one.end).map(event => {
        while (around.length > 0 && around.at(-1) <= event.start) around.pop();
        const stop = Math.min(event.end, around.at(-1) ?? Infinity);
        around.push(stop);
        const args = stop < event.end ? {...event.args, milliseconds: event.end - event.start} : event.args;
        return {ph: "X", name: event.name, cat: event.category, pid: PROCESS, tid: track, ts: microseconds(event.start), dur: Math.max(microseconds(stop) - microseconds(event.start), 0), args};
    });
}

function metadata(name, tid, args) {
    return {ph: "M", name, pid: PROCESS, tid, ts: 0, args};
}

function microseconds(milliseconds) {
    return Math.round(milliseconds * 1000);
}
