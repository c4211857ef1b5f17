import CalotypeCChafaShim
import CalotypeCore
import Glibc

/// libchafa as a whole, which a process loads once, when a picture is to be drawn.
enum Chafa {
    /// What the one attempt of this process failed with.
    private static let failure: String? = {
        var text = [CChar](repeating: 0, count: 512)
        guard unsafe cchafa_start(&text, text.count) != 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// Whether it can be used.
    static var isAvailable: Bool { failure == nil }

    /// Loads libchafa unless that was done; any thread may call.
    ///
    /// - Throws: `drawing_unavailable`.
    static func start() throws(CalotypeError) {
        guard let failure else { return }
        throw CalotypeError(
            .drawingUnavailable,
            """
            drawing pictures on a terminal needs libchafa 1.12 or later (on Debian 12: apt-get install libchafa0), \
            which cannot be used: \(failure)
            """,
            stage: .encode
        )
    }

    /// What libchafa knows of the terminal that `environment` tells of.
    static func detect(_ environment: [String: String]) -> PictureStyle {
        var lines = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe lines.forEach { unsafe free($0) } }
        unsafe lines.append(nil)
        var colours: Int32 = 0
        switch unsafe cchafa_detect(lines, &colours) {
        case CCHAFA_KITTY: return .kitty
        case CCHAFA_SIXELS: return .sixel
        default: return .symbols(PictureStyle.Colours(rawValue: Int(colours)) ?? .sixteen)
        }
    }

    /// Lines of `columns` characters each, as the bytes that draw them.
    static func symbols(
        _ bitmap: Bitmap,
        columns: Int,
        rows: Int,
        colours: PictureStyle.Colours
    ) -> [[UInt8]] {
        let text = unsafe bytes { length in
            unsafe cchafa_symbols(
                bitmap.rgba,
                Int32(bitmap.size.width),
                Int32(bitmap.size.height),
                Int32(columns),
                Int32(rows),
                Int32(colours.rawValue),
                length
            )
        }
        return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map(Array.init)
    }

    /// The bytes that draw a picture of some pixels, whose height is a multiple of six.
    static func sixels(_ bitmap: Bitmap, pixels: PixelSize) -> [UInt8] {
        unsafe bytes { length in
            unsafe cchafa_sixels(
                bitmap.rgba,
                Int32(bitmap.size.width),
                Int32(bitmap.size.height),
                Int32(pixels.width),
                Int32(pixels.height),
                length
            )
        }
    }

    /// Copies what `draw` gives, and gives it back.
    private static func bytes(
        _ draw: (UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<CChar>?
    ) -> [UInt8] {
        var length = 0
        guard let text = unsafe draw(&length) else { return [] }
        defer { unsafe cchafa_free(text) }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
    }
}
