// Texts for figures and failures.

const SIZES = ["bytes", "kB", "MB", "GB"];

/// Returns a number of bytes in the largest unit with a digit before the decimal point.
export function bytes(count) {
    const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), SIZES.length - 1);
    const value = count / 1000 ** power;
    return `${value.toLocaleString(undefined, {maximumFractionDigits: power > 0 && value < 100 ? 1 : 0})} ${SIZES[power]}`;
}

/// Returns a time in milliseconds.
export function time(milliseconds) {
    if (milliseconds < 1) return "less than 1 ms";
    return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/// Returns the size, format and quality of a wall's images.
export function imagesText({side, format, quality}) {
    return [`${side} pixels`, FORMATS[format], quality ? `quality ${quality}` : null].filter(Boolean).join(", ");
}

const FORMATS = {jpeg: "JPEG", webp: "WebP", avif: "AVIF", png: "PNG"};

/// Returns the last component of a URL's path, or its host.
export function nameOf(url) {
    try {
        const {pathname, host} = new URL(url);
        const last = pathname.split("/").filter(Boolean).at(-1);
        return last ? decodeURIComponent(last) : host;
    } catch {
        return url;
    }
}

/// Returns the meaning of an error code.
export function meaning(code) {
    const status = /^http_(\d+)$/.exec(code);
    if (status) return `The origin responded with ${status[1]}`;
    return MEANINGS[code] ?? code.replaceAll("_", " ");
}

const MEANINGS = {
    invalid_url: "Invalid URL",
    unsupported_scheme: "Not an http or https URL",
    blocked_address: "Address not allowed",
    dns_failed: "Unknown host",
    connect_failed: "The host cannot be reached",
    resource_shortage: "The server is short of resources; try again",
    tls_failed: "Secure connection failed",
    timeout_connect: "The host did not accept the connection in time",
    timeout_headers: "The origin did not respond in time",
    timeout_idle: "The origin stopped sending",
    timeout_total: "The load took too long",
    too_slow: "The origin is too slow",
    too_many_redirects: "Too many redirects",
    too_many_bytes: "Too many bytes",
    truncated_body: "The response ended early",
    protocol_error: "The response is not valid HTTP",
    unsupported_format: "Not an image, or an unsupported format",
    corrupt_image: "The image is damaged",
    truncated_image: "The image is incomplete",
    too_many_pixels: "Too many pixels",
    too_many_frames: "Too many frames",
    timeout_decode: "Decoding took too long",
    decoder_crashed: "Decoding failed",
};

/// Returns a URL's host, and its port if it is not the scheme's; empty for what is no URL.
export function hostOf(url) {
    return URL.parse?.(url)?.host ?? /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(url)?.[1] ?? "";
}
