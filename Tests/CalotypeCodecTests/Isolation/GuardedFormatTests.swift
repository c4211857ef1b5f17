import CalotypeCore
import Testing

@testable import CalotypeCodec

/// Formats that only worker processes decode: SVG, JPEG XL and JPEG 2000.
@Suite(.timeLimit(.minutes(1)))
struct GuardedFormatTests {
    /// Runs `body` with a codec whose workers name a system call that their sandbox refuses.
    private func withWorkers(_ body: (ImageCodec) async throws -> Void) async throws {
        var configuration = ImageCodecConfiguration()
        configuration.isolation = .slow
        configuration.workers.program = WorkerProgram(path: TestWorker.path, arguments: ["naming-calls"])
        try await withImageCodec(configuration, body)
    }

    private static func svg(
        _ content: String,
        _ attributes: String = #"width="20" height="10""#
    ) -> CodecInput {
        .bytes(Array(#"<svg xmlns="http://www.w3.org/2000/svg" \#(attributes)>\#(content)</svg>"#.utf8))
    }

    private static let halves =
        ##"<rect width="10" height="10" fill="#f00"/><path d="M10 0h10v10h-10z" style="fill:#00f"/>"##

    private static func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        let place = y * bitmap.rowBytes + 4 * x
        return Array(bitmap.rgba[place..<place + 4])
    }

    private func message(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    // MARK: SVG

    @Test func `a drawing is drawn at the wanted size, with sharp edges`() async throws {
        try await withWorkers { codec in
            for transform in [Transform.none, .fit(20, 10), .fit(200, 200), .stretch(300, 90), .fill(64, 64)]
            {
                let bitmap = try await codec.bitmap(of: Self.svg(Self.halves), transform)
                let wanted =
                    transform.mode == .none
                    ? 20 : transform.mode == .fit ? max(transform.box.width, 20) : transform.box.width
                #expect(bitmap.size.width == wanted, "\(transform)")
                let (middle, row) = (bitmap.size.width / 2, bitmap.size.height / 2)
                #expect(Self.pixel(bitmap, middle - 1, row) == [255, 0, 0, 255], "\(transform)")
                #expect(Self.pixel(bitmap, middle, row) == [0, 0, 255, 255], "\(transform)")
            }
        }
    }

    @Test func `several sizes of a drawing are made at a time`() async throws {
        try await withWorkers { codec in
            let specs = [16, 400, 90].map { PictureSpec.encoded(RenditionSpec(.fit($0, $0), .png)) }
            let pictures = try await codec.pictures(of: Self.svg(Self.halves)) { specs }
            let widths = try pictures.map { try $0.get().size.width }
            #expect(widths == [16, 400, 90])
        }
    }

    @Test(arguments: [
        (#"width="20" height="10""#, 20, 10), (#"viewBox="0 0 40 30""#, 40, 30),
        (#"width="80" viewBox="0 0 40 30""#, 80, 60),
        (#"width="1in" height="50%" viewBox="0 0 4 1""#, 96, 24),
        ("", 300, 150), (#"width="100000" height="50000""#, 4096, 2048),
        (#"style="width:7px;height:9px;fill:red" viewBox="0 0 24 24""#, 24, 24),
    ])
    func `the size of a drawing is the declared one`(
        _ attributes: String,
        _ width: Int,
        _ height: Int
    ) async throws {
        let drawing = Self.svg(#"<path d="M0 0h1e6v1e6h-1e6z"/>"#, attributes)
        let size = PixelSize(width: width, height: height)
        #expect(try ImageProbe.facts(of: drawing).size == size)
        try await withWorkers { codec in
            let bitmap = try await codec.bitmap(of: drawing, .none)
            #expect(bitmap.size == size)
            #expect(Self.pixel(bitmap, width - 1, height - 1)[3] == 255)
        }
    }

    @Test func `what a browser would not draw in a picture is left out`() async throws {
        let odd = """
            <script>fetch('http://h/')</script><style>@import url(http://h/x.css); .a { fill: #00f }</style>
            <image href="http://h/x.png" width="20" height="10"/><use href="file:///etc/passwd#x"/>
            <a href="javascript:x()"><rect class="a" onclick="x()" width="20" height="10"/></a>
            """
        try await withWorkers { codec in
            let bitmap = try await codec.bitmap(of: Self.svg(odd), .none)
            #expect(Self.pixel(bitmap, 5, 5) == [0, 0, 255, 255])
        }
    }

    @Test func `text is drawn in the fonts of the machine, in the sandbox as without it`() async throws {
        let text = """
            <rect width="20" height="10" fill="#fff"/>
            <text x="1" y="8" font-family="sans-serif" font-size="9">I<tspan font-weight="bold" fill="#f00">H</tspan></text>
            """
        let drawing = Self.svg(text)
        func drawn(_ program: [String]) async throws -> Bitmap {
            let configuration = TestWorker.configuration(program: program)
            return try await withImageCodec(configuration) { codec in
                try await codec.bitmap(of: drawing, .fit(80, 40, enlarges: true))
            }
        }
        let bitmap = try await drawn([])
        let pixels = (0..<80 * 40).map { Self.pixel(bitmap, $0 % 80, $0 / 80) }
        #expect(pixels.contains([0, 0, 0, 255]))
        #expect(pixels.contains([255, 0, 0, 255]))
        #expect(pixels[0] == [255, 255, 255, 255])
        #expect(try await drawn(["unconfined"]) == bitmap)
    }

    @Test(arguments: [
        ("<text><textPath href='#p'>Hello</textPath></text>", "it has text along a path"),
        ("<g><image href='data:image/png;base64,AAAA'/></g>", "it contains a picture"),
        (String(repeating: "<g>", count: 300) + String(repeating: "</g>", count: 300), "inside each other"),
        (String(repeating: "<g/>", count: 100_001), "more than 100000 elements"),
    ])
    func `a drawing that would be drawn wrongly is refused, and says why`(
        _ content: String,
        _ reason: String
    ) async throws {
        try await withWorkers { codec in
            let message = await message { _ = try await codec.bitmap(of: Self.svg(content), .none) }
            #expect(message.contains("unsupported_format: this kind of SVG cannot be read: "), "\(message)")
            #expect(message.contains(reason), "\(message)")
        }
    }

    @Test(arguments: ["<g><path></g></path>", "<g></b>", "</g>"])
    func `a drawing whose tags do not match is damaged`(_ content: String) async throws {
        try await withWorkers { codec in
            let found = await code { _ = try await codec.bitmap(of: Self.svg(content), .none) }
            #expect(found == .corruptImage)
        }
    }

    @Test func `entities of a drawing count, and cannot grow`() async throws {
        let plain =
            ##"<!DOCTYPE svg [<!ENTITY blue "#00f">]><svg width="4" height="4"><rect width="4" height="4" fill="&blue;"/></svg>"##
        let entities = (1..<30).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
        let bomb =
            "<!DOCTYPE svg [<!ENTITY e0 \"x\">\(entities)]><svg width=\"4\" height=\"4\"><style>&e29;</style></svg>"
        try await withWorkers { codec in
            let bitmap = try await codec.bitmap(of: .bytes(Array(plain.utf8)), .none)
            #expect(Self.pixel(bitmap, 1, 1) == [0, 0, 255, 255])
            #expect(try await codec.bitmap(of: .bytes(Array(bomb.utf8)), .none).size.width == 4)
        }
    }

    @Test func `a drawing that uses itself ever more often ends`() async throws {
        let uses = (1..<24).map { "<g id='u\($0)'><use href='#u\($0 - 1)'/><use href='#u\($0 - 1)'/></g>" }
            .joined()
        let bomb = Self.svg("<defs><rect id='u0' width='1' height='1'/>\(uses)</defs><use href='#u23'/>")
        var limits = ImageLimits()
        limits.decodeTime = .seconds(5)
        try await withWorkers { [limits] codec in
            // Drawn in part or refused: librsvg has a limit of its own.
            _ = await code { _ = try await codec.bitmap(of: bomb, .none, limits: limits) }
            let next = try await codec.bitmap(of: Self.svg(Self.halves), .none)
            #expect(next.size.width == 20)
        }
    }

    @Test func `a drawing that is cut off is not taken for a whole one`() async throws {
        let whole = try Self.svg(Self.halves).read()
        try await withWorkers { codec in
            for count in [whole.count - 1, whole.count - 7, whole.count - 20, 40, 5] {
                let found = await code {
                    _ = try await codec.bitmap(of: .bytes(Array(whole.prefix(count))), .none)
                }
                #expect(
                    found == .truncatedImage || found == .corruptImage,
                    "\(count): \(String(describing: found))"
                )
            }
        }
    }

    // MARK: JPEG XL and JPEG 2000

    @Test func `a damaged header has an error, or a size`() async throws {
        probeDamaged(try Self.svg(Self.halves, #"width="12px" height="1e2" viewBox="0 0 40 30""#).read())
        try await withWorkers { codec in
            probeDamaged(try await codec.encode(fourCorners(80, 60), as: .jxl))
            probeDamaged(try await codec.encode(fourCorners(80, 60), as: .jp2))
        }
    }

    @Test(arguments: [ImageFormat.jxl, .jp2])
    func `photos are read`(_ format: ImageFormat) async throws {
        try await withWorkers { codec in
            let original = fourCorners(80, 60)
            let file = try await codec.encode(original, as: format, quality: 95)
            let facts = try ImageProbe.facts(of: .bytes(file))
            #expect(facts.format == format && facts.size == original.size && facts.bitDepth == 8)
            #expect(!facts.hasAlpha)
            let bitmap = try await codec.bitmap(of: .bytes(file), .none)
            #expect(bitmap.size == original.size)
            for (x, y) in [(5, 5), (75, 5), (5, 55), (75, 55)] {
                for (found, wanted) in zip(Self.pixel(bitmap, x, y), Self.pixel(original, x, y)) {
                    #expect(abs(Int(found) - Int(wanted)) < 12, "\(x), \(y)")
                }
            }
            #expect(
                try await codec.bitmap(of: .bytes(file), .fit(20, 20)).size
                    == PixelSize(width: 20, height: 15)
            )
        }
    }

    @Test func `JPEG XL is written, smaller at a lower quality, and with transparency`() async throws {
        try await withWorkers { codec in
            let source = CodecInput.bytes(try await codec.encode(fourCorners(160, 120), as: .png))
            let specs = [95, 20].map { RenditionSpec(.fit(80, 60), .jxl(quality: $0)) }
            let made = try await codec.renditions(of: source, as: specs)
            #expect(made.allSatisfy { $0.format == .jxl && $0.size == PixelSize(width: 80, height: 60) })
            #expect(made[1].bytes.count < made[0].bytes.count)
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).corners == uprightCorners)
            let glass = Bitmap(
                size: PixelSize(width: 8, height: 8),
                rgba: (0..<64).flatMap { _ in [200, 0, 0, 128] as [UInt8] }
            )
            let file = try await codec.encode(glass, as: .jxl(quality: 82))
            #expect(try ImageProbe.facts(of: .bytes(file)).hasAlpha)
        }
    }

    @Test func `without workers, JPEG XL is not written, and the error says why`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.isolation = .none
        try await withImageCodec(configuration) { codec in
            let source = CodecInput.bytes(try await codec.encode(fourCorners(8, 8), as: .png))
            let message = await message {
                _ = try await codec.renditions(of: source, as: [RenditionSpec(.none, .jxl(quality: 82))])
            }
            #expect(message.contains("encode_failed"), "\(message)")
            #expect(message.contains("JPEG XL is written only in worker processes"), "\(message)")
        }
    }

    @Test(arguments: [ImageFormat.jxl, .jp2])
    func `transparency is read, and results keep it`(_ format: ImageFormat) async throws {
        try await withWorkers { codec in
            let glass = Bitmap(
                size: PixelSize(width: 32, height: 32),
                rgba: (0..<32 * 32).flatMap { _ in [200, 0, 0, 128] as [UInt8] }
            )
            let file = CodecInput.bytes(try await codec.encode(glass, as: format, quality: 95))
            #expect(try ImageProbe.facts(of: file).hasAlpha)
            #expect(abs(Int(Self.pixel(try await codec.bitmap(of: file, .none), 9, 9)[3]) - 128) < 4)
            let spec = PictureSpec.encoded(RenditionSpec(.none, .original(quality: 80)))
            let picture = try await codec.pictures(of: file) { [spec] }[0].get()
            guard case .encoded(_, .png) = picture.content else {
                Issue.record("\(picture.content)")
                return
            }
        }
    }

    @Test(arguments: [ImageFormat.jxl, .jp2])
    func `each prefix of a file has an error or nothing yet`(_ format: ImageFormat) async throws {
        try await withWorkers { codec in
            let file = try await codec.encode(fourCorners(80, 60), as: format)
            for count in 0..<file.count {
                let prefix = Array(file.prefix(count))
                do throws(CalotypeError) {
                    _ = try ImageProbe.facts(fromPrefix: prefix, isComplete: false)
                } catch {
                    Issue.record("\(count): \(error)")
                }
            }
            let found = await code {
                _ = try await codec.bitmap(of: .bytes(Array(file.dropLast(file.count / 2))), .none)
            }
            #expect(found == .truncatedImage || found == .corruptImage, "\(String(describing: found))")
        }
    }

    @Test func `without worker processes they are refused, with the reason`() async throws {
        try await withImageCodec { codec in
            let message = await message { _ = try await codec.bitmap(of: Self.svg(Self.halves), .none) }
            #expect(
                message.contains("unsupported_format: SVG is decoded only in worker processes"),
                "\(message)"
            )
        }
    }
}
