import CalotypeCPNGShim
import CalotypeCore

/// The bytes of a PNG, put together chunk by chunk.
struct PNGFile {
    /// The most bytes of a chunk.
    private static let mostContent = 1 << 30

    private var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Begins a picture of `size` in `form`.
    init(_ size: PixelSize, _ form: PNGForm) {
        let kind = [UInt8(form.depth), UInt8(form.colour.rawValue), 0, 0, 0]
        let header = Self.big(size.width) + Self.big(size.height) + kind
        add("IHDR", header.span)
        guard !form.palette.isEmpty else { return }
        let colours = form.palette.flatMap { $0.prefix(3) }
        add("PLTE", colours.span)
        let alphas = form.palette.map { $0[3] }.filter { $0 < 255 }
        if !alphas.isEmpty { add("tRNS", alphas.span) }
    }

    /// Adds the compressed rows.
    mutating func add(data: Span<UInt8>) {
        bytes.reserveCapacity(bytes.count + data.count + 64)
        for start in stride(from: 0, to: data.count, by: Self.mostContent) {
            add("IDAT", data.extracting(start..<min(start + Self.mostContent, data.count)))
        }
    }

    /// The whole file.
    consuming func ended() -> [UInt8] {
        let nothing: [UInt8] = []
        add("IEND", nothing.span)
        return bytes
    }

    private mutating func add(_ kind: String, _ content: Span<UInt8>) {
        bytes += Self.big(content.count)
        let start = bytes.count
        bytes += Array(kind.utf8)
        unsafe content.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        let crc = unsafe bytes.span.extracting(start...).withUnsafeBufferPointer { bytes in
            unsafe cpng_crc(0, bytes.baseAddress, bytes.count)
        }
        bytes += Self.big(Int(crc))
    }

    /// A number in four bytes, the most significant first.
    private static func big(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
