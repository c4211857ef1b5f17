import CalotypeCVipsShim

/// A call to libvips that failed.
///
/// The text is a hint for people: libvips keeps one text for all threads, so it may belong to another picture.
struct VipsFailure: Error, CustomStringConvertible {
    let description: String

    /// Creates a failure from the C string in `text`, of several lines perhaps.
    init(text: [CChar]) {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        description = lines.joined(separator: "; ")
    }

    /// What libvips, libtiff and libheif say of pictures that are whole, but of a kind that they do not read.
    private static let refusals = [
        "not supported", "unsupported", "not implemented", "not configured", "not a whole number of bytes",
        "samples out of range", "security limit", "undefined bits per pixel",
    ]

    /// Whether the picture may be sound, and is of a kind that is not read.
    var isUnsupported: Bool {
        let text = description.lowercased()
        return Self.refusals.contains { text.contains($0) }
    }

    /// Takes libvips's error text, which is empty afterwards.
    static func take() -> VipsFailure {
        var text = emptyText
        unsafe cvips_take_error(&text, text.count)
        return VipsFailure(text: text)
    }

    /// Room for a text.
    static var emptyText: [CChar] { [CChar](repeating: 0, count: 512) }
}
