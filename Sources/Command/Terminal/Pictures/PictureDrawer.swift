import CalotypeCChafa
import CalotypeCore
import CalotypePlatform

/// Draws pictures in one style for one box size.
struct PictureDrawer {
    let style: PictureStyle
    let box: PictureBox

    /// Draws `bitmap`; it takes a few milliseconds.
    ///
    /// - Throws: `drawing_failed`, `drawing_unavailable`.
    func picture(of bitmap: Bitmap) throws -> TerminalPicture {
        guard bitmap.size.width > 0, bitmap.size.height > 0 else { throw failure("the image has no pixels") }
        switch style {
        case .kitty: return kitty(bitmap)
        case .sixel: return try sixels(bitmap)
        case .symbols(let colours): return try symbols(bitmap, colours)
        case .none:
            throw CalotypeError(.drawingUnavailable, "this terminal cannot show images", stage: .encode)
        }
    }

    private func symbols(_ bitmap: Bitmap, _ colours: PictureStyle.Colours) throws -> TerminalPicture {
        try Chafa.start()
        let fit = box.fit(bitmap.size)
        let lines = Chafa.symbols(bitmap, columns: fit.columns, rows: fit.rows, colours: colours)
        guard lines.count == fit.rows else {
            throw failure("libchafa drew \(lines.count) lines of \(fit.rows)")
        }
        return TerminalPicture(columns: fit.columns, rows: fit.rows, content: .symbols(lines: lines))
    }

    private func sixels(_ bitmap: Bitmap) throws -> TerminalPicture {
        try Chafa.start()
        var pixels = box.fit(bitmap.size).pixels
        // Sixels have rows of six pixels; an extra row would paint over the cells below.
        pixels.height = max(pixels.height / 6 * 6, 6)
        var bytes = Chafa.sixels(bitmap, pixels: pixels)
        let ending = Array("-\u{1B}\\".utf8)
        guard bytes.suffix(3).elementsEqual(ending) else { throw failure("libchafa did not return sixels") }
        // The last line feed would scroll the screen if the picture ends at its bottom.
        bytes.remove(at: bytes.count - 3)
        return TerminalPicture(
            columns: (pixels.width - 1) / box.cellWidthPixels + 1,
            rows: (pixels.height - 1) / box.cellHeightPixels + 1,
            content: .sixel(bytes)
        )
    }

    private func kitty(_ bitmap: Bitmap) -> TerminalPicture {
        let fit = box.fit(bitmap.size)
        return TerminalPicture(columns: fit.columns, rows: fit.rows, content: .kitty(KittyImage(bitmap)))
    }

    private func failure(_ reason: String) -> CalotypeError {
        CalotypeError(.drawingFailed, "the image could not be drawn: \(reason)", stage: .encode)
    }
}

/// The libchafa library, which a process loads once, for the first picture that it draws.
enum Chafa {
    /// The reason why loading failed in this process, if it did.
    private static let failure: String? = {
        var text = [CChar](repeating: 0, count: 512)
        guard unsafe cchafa_start(&text, text.count) != 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// Whether libchafa can be used.
    static var isAvailable: Bool { failure == nil }

    /// Loads libchafa unless it is already loaded; any thread can call this.
    ///
    /// - Throws: `drawing_unavailable`.
    static func start() throws(CalotypeError) {
        guard let failure else { return }
        #if TerminalPictures
        let remedy =
            "libchafa 1.12 or later (on Debian 12: apt-get install libchafa0), which cannot be used: \(failure)"
        #else
        let remedy = "libchafa, and \(failure); build it with that trait"
        #endif
        throw CalotypeError(
            .drawingUnavailable,
            "showing images in a terminal needs \(remedy)",
            stage: .encode
        )
    }

    /// Returns the style that libchafa detects for the terminal in `environment`.
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

    /// Returns the bytes that draw each line of `columns` characters.
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

    /// Returns the bytes that draw a picture of `pixels`, whose height must be a multiple of six.
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

    /// Copies the result of `draw`, and frees the original.
    private static func bytes(
        _ draw: (UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<CChar>?
    ) -> [UInt8] {
        var length = 0
        guard let text = unsafe draw(&length) else { return [] }
        defer { unsafe cchafa_free(text) }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
    }
}
