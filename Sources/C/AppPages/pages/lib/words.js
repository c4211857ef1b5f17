// How figures and failures are told to people.

const SIZES = ["bytes", "kB", "MB", "GB"];

/// A number of bytes, in the largest unit that leaves a digit before the point.
export function bytes(count) {
    const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), SIZES.length - 1);
    const value = count / 1000 ** power;
    return `${value.toLocaleString(undefined, {maximumFractionDigits: power > 0 && value < 100 ? 1 : 0})} ${SIZES[power]}`;
}

/// A time in milliseconds.
export function time(milliseconds) {
    if (milliseconds < 1) return "less than 1 ms";
    return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/// The last part of a URL's path, or its host.
export function nameOf(url) {
    try {
        const {pathname, host} = new URL(url);
        const last = pathname.split("/").filter(Boolean).at(-1);
        return last ? decodeURIComponent(last) : host;
    } catch {
        return url;
    }
}

/// What the word for a failure means.
export function meaning(code) {
    const status = /^http_(\d+)$/.exec(code);
    if (status) return `The origin answered ${status[1]}`;
    return MEANINGS[code] ?? code.replaceAll("_", " ");
}

const MEANINGS = {
    invalid_url: "No valid URL",
    unsupported_scheme: "Neither http nor https",
    blocked_address: "An address that may not be asked",
    dns_failed: "The host's name is not known",
    connect_failed: "The host cannot be reached",
    resource_shortage: "The server is short of resources; try again",
    tls_failed: "No secure connection",
    timeout_connect: "The host did not take the connection in time",
    timeout_headers: "The origin did not answer in time",
    timeout_idle: "The origin stopped sending",
    timeout_total: "It took too long",
    too_slow: "The origin is too slow",
    too_many_redirects: "Too many redirects",
    too_many_bytes: "Too many bytes",
    truncated_body: "The answer ended early",
    protocol_error: "The answer is no HTTP",
    unsupported_format: "No picture, or of an unknown kind",
    corrupt_image: "The picture is damaged",
    truncated_image: "The picture is not complete",
    too_many_pixels: "Too many pixels",
    too_many_frames: "Too many frames",
    timeout_decode: "Decoding took too long",
    decoder_crashed: "Decoding failed",
};
