import CVipsShim

/// A call to libvips that failed.
///
/// The text is a hint for people: libvips keeps one text for all threads, so it may belong to another picture.
struct VipsFailure: Error, CustomStringConvertible {
    let description: String

    /// Takes libvips's error text, which is empty afterwards.
    static func take() -> VipsFailure {
        var text = [CChar](repeating: 0, count: 512)
        unsafe cvips_take_error(&text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return VipsFailure(description: lines.joined(separator: "; "))
    }
}
