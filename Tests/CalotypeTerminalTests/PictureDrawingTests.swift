import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeTerminal

@Suite(.timeLimit(.minutes(1)))
struct PictureDrawingTests {
    private static let screen = ScreenSize(columns: 80, rows: 24, cellWidthPixels: 10, cellHeightPixels: 20)

    /// Four quarters: red, green, blue, and one that is transparent.
    private static func quarters(_ width: Int, _ height: Int, last: [UInt8] = [255, 255, 255, 0]) -> Bitmap {
        let colours: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], last]
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let quarter = (y * 2 / height) * 2 + x * 2 / width
                rgba += colours[quarter]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
    }

    private func drawn(
        _ style: PictureStyle,
        _ bitmap: Bitmap,
        columns: Int,
        rows: Int
    ) async throws -> TerminalPicture {
        try await withPictureDrawing(style) { drawing in
            try await drawing.picture(
                of: bitmap,
                in: PictureBox(columns: columns, rows: rows, on: Self.screen)
            )
        }
    }

    @Test func `symbols show the colours, and the terminal's ground where nothing is`() async throws {
        let picture = try await drawn(.symbols(.direct), Self.quarters(80, 80), columns: 8, rows: 4)
        #expect((picture.columns, picture.rows) == (8, 4))
        guard case .symbols(let lines) = picture.content else { return #expect(Bool(false), "no symbols") }
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.count == 4)
        #expect(texts.allSatisfy { $0.hasSuffix("\u{1B}[0m") && !$0.contains("\n") })
        #expect(texts[0].contains("2;255;0;0") || texts[0].contains("2;254;0;0"))
        var terminal = EmulatedTerminal(columns: 8, rows: 4)
        for (row, line) in lines.enumerated() { terminal.show(Array("\u{1B}[\(row + 1);1H".utf8) + line) }
        #expect(terminal.cells[31].style == "0" || !terminal.cells[31].style.contains("48;"))
        #expect(terminal.cells[0].style.contains("255;0;0") || terminal.cells[0].style.contains("254;0;0"))
    }

    @Test(arguments: [PictureStyle.Colours.sixteen, .indexed, .direct])
    func `symbols use no more colours than the terminal has`(colours: PictureStyle.Colours) async throws {
        let picture = try await drawn(.symbols(colours), Self.quarters(64, 64), columns: 12, rows: 6)
        guard case .symbols(let lines) = picture.content else { return #expect(Bool(false), "no symbols") }
        let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.contains("8;2;") == (colours == .direct))
        #expect(text.contains("8;5;") == (colours == .indexed))
    }

    @Test func `sixels show every pixel, and leave out what is transparent`() async throws {
        let picture = try await drawn(.sixel, Self.quarters(120, 120), columns: 12, rows: 6)
        #expect((picture.columns, picture.rows) == (12, 6))
        guard case .sixel(let bytes) = picture.content else { return #expect(Bool(false), "no sixels") }
        let decoder = try #require(SixelDecoder(bytes))
        #expect(decoder.size == PixelSize(width: 120, height: 120))
        #expect(!decoder.lineFeedAtEnd)
        #expect(decoder.pixels[PixelSize(width: 5, height: 5)].map { $0[0] > 95 && $0[1] < 5 } == true)
        #expect(decoder.pixels[PixelSize(width: 115, height: 5)].map { $0[1] > 95 && $0[0] < 5 } == true)
        #expect(decoder.pixels[PixelSize(width: 5, height: 115)].map { $0[2] > 95 && $0[1] < 5 } == true)
        #expect(decoder.pixels[PixelSize(width: 115, height: 115)] == nil)
        #expect(decoder.pixels.keys.allSatisfy { $0.width < 120 && $0.height < 120 })
    }

    @Test func `sixels never reach below their cells`() async throws {
        let picture = try await drawn(.sixel, Self.quarters(100, 200), columns: 10, rows: 1)
        guard case .sixel(let bytes) = picture.content else { return #expect(Bool(false), "no sixels") }
        let decoder = try #require(SixelDecoder(bytes))
        #expect(decoder.size == PixelSize(width: 10, height: 18))
        #expect(decoder.pixels.keys.allSatisfy { $0.height < 18 })
        #expect((picture.columns, picture.rows) == (1, 1))
    }

    @Test(arguments: [[255, 255, 255, 0], [9, 8, 7, 255]] as [[UInt8]])
    func `kitty's pictures hold the very pixels`(last: [UInt8]) async throws {
        let bitmap = Self.quarters(60, 40, last: last)
        let picture = try await drawn(.kitty, bitmap, columns: 12, rows: 6)
        #expect((picture.columns, picture.rows) == (12, 4))
        guard case .kitty(let image) = picture.content else { return #expect(Bool(false), "none of kitty's") }
        var terminal = EmulatedTerminal(columns: 20, rows: 10)
        terminal.show(image.transmission)
        #expect(terminal.unknown == [])
        let bytes = try #require(terminal.images["\(image.number)"].flatMap { decodedBase64($0) })
        #expect(image.hasAlpha == (last[3] == 0))
        let expected =
            image.hasAlpha ? bitmap.rgba : bitmap.rgba.indices.filter { $0 % 4 < 3 }.map { bitmap.rgba[$0] }
        #expect(bytes == expected)
        let header = String(decoding: image.transmission.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        #expect(header.contains("f=\(image.hasAlpha ? 32 : 24),s=60,v=40"))
    }

    private func decodedBase64(_ text: String) -> [UInt8]? {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let values = Dictionary(uniqueKeysWithValues: zip(alphabet.utf8, 0..<64))
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for digit in text.utf8 where digit != UInt8(ascii: "=") {
            guard let value = values[digit] else { return nil }
            (bits, count) = ((bits << 6 | value) & 0xFFFF, count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    @Test(arguments: [
        (PixelSize(width: 100, height: 100), 12, 6), (PixelSize(width: 200, height: 100), 24, 6),
        (PixelSize(width: 100, height: 400), 3, 6), (PixelSize(width: 10_000, height: 1), 24, 1),
        (PixelSize(width: 1, height: 10_000), 1, 6),
    ])
    func `a picture keeps its aspect ratio in cells that are higher than wide`(
        size: PixelSize,
        columns: Int,
        rows: Int
    ) {
        let fit = PictureBox(columns: 24, rows: 6, on: Self.screen).fit(size)
        #expect((fit.columns, fit.rows) == (columns, rows))
    }

    @Test func `a picture of no pixels is an error, not a crash`() async throws {
        let empty = Bitmap(size: PixelSize(width: 0, height: 0), rgba: [])
        let error = await #expect(throws: CalotypeError.self) {
            _ = try await drawn(.sixel, empty, columns: 4, rows: 2)
        }
        #expect(error?.code == .drawingFailed)
    }

    @Test func `where no pictures are shown, drawing says so`() async throws {
        let error = await #expect(throws: CalotypeError.self) {
            _ = try await drawn(.none, Self.quarters(8, 8), columns: 4, rows: 2)
        }
        #expect(error?.code == .drawingUnavailable)
    }

    @Test func `a cancelled drawing is not drawn`() async throws {
        try await withPictureDrawing(.symbols(.direct)) { drawing in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                let box = PictureBox(columns: 4, rows: 2, on: Self.screen)
                return try await drawing.picture(of: Self.quarters(8, 8), in: box)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(drawing.counts.drawn == 0)
        }
    }

    @Test func `many drawings on several threads at the same time are all correct`() async throws {
        let bitmap = Self.quarters(64, 64)
        let box = PictureBox(columns: 8, rows: 4, on: Self.screen)
        for style in [PictureStyle.symbols(.direct), .symbols(.indexed), .sixel] {
            let first = try await drawn(style, bitmap, columns: 8, rows: 4)
            try await withPictureDrawing(style, threads: 4) { drawing in
                try await withThrowingTaskGroup(of: TerminalPicture.self) { group in
                    for _ in 0..<40 { group.addTask { try await drawing.picture(of: bitmap, in: box) } }
                    for try await picture in group { #expect(picture.drawing == first.drawing) }
                }
                #expect(drawing.counts.drawn == 40)
            }
        }
    }

    @Test func `a picture that scrolls back appears immediately`() async throws {
        let request = ImageRequest("https://example.org/a.png", .fit(64, 64))
        let box = PictureBox(columns: 8, rows: 4, on: Self.screen)
        try await withPictureDrawing(.symbols(.direct)) { drawing in
            #expect(drawing.kept(request, box: box) == nil)
            let picture = try await drawing.picture(of: Self.quarters(8, 8), in: box)
            drawing.finished.replaceValue(picture, for: FinishedPictureKey(request, box))
            var urgent = request
            urgent.priority = .high
            #expect(drawing.kept(urgent, box: box) == picture)
            #expect(drawing.kept(request, box: PictureBox(columns: 9, rows: 4, on: Self.screen)) == nil)
            var reload = request
            reload.cachePolicy = .reload
            #expect(drawing.kept(reload, box: box) == nil)
        }
    }
}

extension TerminalPicture {
    /// All bytes that draw it.
    var drawing: [UInt8] {
        switch content {
        case .symbols(let lines): lines.flatMap { $0 }
        case .sixel(let bytes): bytes
        case .kitty(let image): image.payload
        }
    }
}
