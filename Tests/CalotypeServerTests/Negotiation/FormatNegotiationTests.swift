import CalotypeCore
import Testing

@testable import CalotypeServer

@Suite
struct FormatNegotiationTests {
    private static let chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"

    private func choice(
        _ accept: String?,
        format: ImageFormat? = nil,
        _ configure: (inout FormatNegotiation) -> Void = { $0.offered = [.avif, .webp] }
    ) -> FormatChoice {
        var negotiation = FormatNegotiation()
        configure(&negotiation)
        var thumbnail = ThumbnailRequest(source: "http://h/a")
        thumbnail.format = format
        return negotiation.choice(for: thumbnail, accept: accept)
    }

    @Test(arguments: [
        (chrome, ImageFormat.avif), ("image/webp", .webp), ("image/webp, image/avif", .avif),
        ("IMAGE/WebP ; Q=1.000", .webp),
        ("image/avif;q=0.5,image/webp;q=0.9", .webp), ("image/webp;q=0.001", .webp),
        ("image/avif;q=0,image/webp", .webp),
        ("text/html,image/webp,*/*", .webp), (";,,image/webp;x=\"a,image/avif;q=0\";q=1,", .webp),
        ("image/webp;q=0.5, image/jpeg;q=0.5", .webp), ("image/webp;q=0.8,*/*;q=0.8", .webp),
    ])
    func `a browser gets the best of what it names`(accept: String, format: ImageFormat) {
        let choice = choice(accept)
        #expect(choice.format == format)
        #expect(choice.varies)
    }

    @Test(arguments: [
        nil, "", "*/*", "image/*", "image/*,*/*;q=0.8", "image/webp;q=0",
        "image/webp;q=0,image/avif;q=0.000,*/*",
        "image/webp;q=2", "image/webp;q=0.5,*/*", "image/avif;q=0.2,image/jpeg", "image/webpx", "ximage/webp",
        "webp",
        "image/png", "\"image/webp\"", "image/webp;q=1.5", "image/webp;q=", "image/webp;q=-1",
    ])
    func `others get what the source is`(accept: String?) {
        let choice = choice(accept)
        #expect(choice.format == nil)
        #expect(choice.varies)
    }

    @Test func `the last word on a type counts, and a number that is none says nothing`() {
        #expect(choice("image/webp;q=0.5,image/webp;q=0").format == nil)
        #expect(choice("image/webp,image/webp;q=x").format == .webp)
    }

    @Test func `a format in the path is used, and the response does not vary`() {
        let named = choice(Self.chrome, format: .jpeg)
        #expect(named.format == .jpeg)
        #expect(!named.varies)
        #expect(!choice(Self.chrome) { _ in }.varies)
    }

    @Test func `a format that is enforced comes before the one that is named`() {
        let enforce: (inout FormatNegotiation) -> Void = {
            $0.offered = [.avif]
            $0.enforced = [.webp]
        }
        #expect(choice(Self.chrome, format: .png, enforce).format == .webp)
        #expect(choice(Self.chrome, format: .png, enforce).varies)
        #expect(choice("image/webp;q=0,*/*", format: .png, enforce).format == .png)
        #expect(choice("image/webp;q=0.1,*/*", format: .png, enforce).format == .webp)
        #expect(choice(Self.chrome, enforce).format == .avif)
    }

    @Test func `raw bytes are what they are`() {
        var negotiation = FormatNegotiation()
        negotiation.offered = [.webp]
        negotiation.enforced = [.webp]
        var thumbnail = ThumbnailRequest(source: "http://h/a")
        thumbnail.isRaw = true
        let choice = negotiation.choice(for: thumbnail, accept: Self.chrome)
        #expect(choice.format == nil && !choice.varies)
    }

    @Test(arguments: [
        (ImageFormat.jpeg, false, ImageFormat.jpeg), (.png, false, .png), (.png, true, .png),
        (.webp, false, .jpeg),
        (.webp, true, .png), (.gif, true, .png), (.heic, false, .jpeg), (.jpeg, true, .png),
    ])
    func `a source keeps a format that all know`(source: ImageFormat, alpha: Bool, format: ImageFormat) {
        #expect(choice(nil).format(source: source, needsAlpha: alpha) == format)
    }

    @Test func `pictures can become JPEG, and PNG where parts are transparent`() {
        let choice = choice(nil) { $0.preferred = [.jpeg] }
        #expect(choice.format(source: .png, needsAlpha: false) == .jpeg)
        #expect(choice.format(source: .png, needsAlpha: true) == .png)
        #expect(choice.format(source: .webp, needsAlpha: true) == .png)
    }

    @Test func `a background leaves nothing transparent`() throws {
        #expect(try Reading.options("w:3").needsAlpha(sourceHasAlpha: true))
        #expect(try !Reading.options("w:3").needsAlpha(sourceHasAlpha: false))
        #expect(try Reading.options("pd:3").needsAlpha(sourceHasAlpha: false))
        #expect(try Reading.options("ex:1").needsAlpha(sourceHasAlpha: false))
        #expect(try !Reading.options("pd:3/bg:fff").needsAlpha(sourceHasAlpha: true))
    }

    @Test func `a path becomes a request of the pipeline`() throws {
        let thumbnail = try Reading.options("w:3/q:50/msr:2/msfs:3000") { $0.allowsSecurityOptions = true }
        let request = try thumbnail.request(format: .webp)
        #expect(request.source == .url("http://h/a.jpg"))
        #expect(request.transform == thumbnail.transform)
        #expect(request.output == .webp(quality: 50))
        #expect(request.limits.pixels == 2_000_000 && request.limits.sourceBytes.bytes == 3_000)
        #expect(try Reading.options("w:3").request(format: .avif).output == .avif(quality: 63))
        #expect(try Reading.options("w:3").request(format: .jpeg).output == .jpeg(quality: 80))
    }
}
