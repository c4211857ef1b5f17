import CalotypeCore

/// Draws pictures in one style for one size of box.
struct PictureDrawer {
    let style: PictureStyle
    let box: PictureBox

    /// Draws `bitmap`; it takes a few milliseconds.
    ///
    /// - Throws: `drawing_failed`, `drawing_unavailable`.
    func picture(of bitmap: Bitmap) throws -> TerminalPicture {
        guard bitmap.size.width > 0, bitmap.size.height > 0 else { throw failure("it has no pixels") }
        switch style {
        case .kitty: return kitty(bitmap)
        case .sixel: return try sixels(bitmap)
        case .symbols(let colours): return try symbols(bitmap, colours)
        case .none:
            throw CalotypeError(.drawingUnavailable, "this terminal shows no pictures", stage: .encode)
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
        // Sixels come in rows of six: one more row would paint over the cells below.
        pixels.height = max(pixels.height / 6 * 6, 6)
        var bytes = Chafa.sixels(bitmap, pixels: pixels)
        let ending = Array("-\u{1B}\\".utf8)
        guard bytes.suffix(3).elementsEqual(ending) else { throw failure("libchafa drew no sixels") }
        // The last line feed would scroll the screen where the picture ends at its bottom.
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
        CalotypeError(.drawingFailed, "the picture could not be drawn: \(reason)", stage: .encode)
    }
}
