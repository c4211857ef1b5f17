import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypePlatform
import Testing

@Suite(.timeLimit(.minutes(2)))
struct OneLoadTests {
    @Test func `a URL becomes a picture of the right size with its facts`() async throws {
        try await Gallery.open { origin, pipeline in
            let request = ImageRequest(origin.pictureURL(Gallery.photo), .fit(100, 100))
            let picture = try await pipeline.rendition(for: request)
            #expect(picture.size == PixelSize(width: 100, height: 75))
            #expect(picture.format == .jpeg)
            #expect(picture.source.size == PixelSize(width: 320, height: 240))
            let bytes = try await Gallery.bytes(Gallery.photo)
            #expect(picture.sourceBytes.bytes == bytes.count)
            #expect(picture.attempts == 1)
            #expect(picture.timings.total >= picture.timings.decode + picture.timings.encode)
        }
    }

    @Test func `a file and bytes become pictures as a URL does`() async throws {
        let bytes = try await Gallery.bytes(Gallery.drawing)
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).png"
        try await Gallery.open { origin, pipeline in
            let sources: [ImageSource] = [
                .url(origin.pictureURL(Gallery.drawing)), .bytes(bytes), .file(path: path),
            ]
            let whole = try await pipeline.rendition(for: ImageRequest(sources[1], .none, .original))
            #expect(whole.isVerbatim && whole.bytes == bytes)
            try whole.write(to: path)
            defer { unsafe unlink(path) }
            var results: [[UInt8]] = []
            for source in sources {
                results.append(
                    try await pipeline.rendition(for: ImageRequest(source, .fit(64, 64), .png)).bytes
                )
            }
            #expect(results[0] == results[1] && results[1] == results[2])
        }
    }

    @Test func `a body larger than its share of memory goes through the spool`() async throws {
        try await Gallery.open {
            $0.encodedBytes = .kibibytes(1)
        } _: { origin, pipeline in
            let length = try await Gallery.bytes(Gallery.large).count
            // Chunked: the length is not known before the end, so the body outgrows its share on the way.
            for prefix in ["pictures", "chunked"] {
                let url = origin.url("/\(prefix)/\(Gallery.large)")
                let picture = try await pipeline.rendition(for: ImageRequest(url, .fit(300, 300)))
                #expect(picture.size == PixelSize(width: 300, height: 225))
                #expect(picture.sourceBytes.bytes == length)
            }
            #expect(pipeline.snapshot.encodedBytes.bytes == 0)
        }
    }

    @Test(arguments: [
        ("/status/404", "http_404"), ("/status/503", "http_503"), ("/html/photo.jpg", "unsupported_format"),
        ("/cut/50/photo.jpg", "truncated_body"), ("/half/photo.jpg", "truncated_image"),
        ("/loop", "too_many_redirects"), ("/bomb.png", "too_many_pixels"), ("/empty", "unsupported_format"),
        ("/garbage", "protocol_error"), ("/hang", "timeout_total"), ("/slow/10/photo.jpg", "timeout_total"),
        ("/endless", "unsupported_format"), ("/endless-headers", "too_many_header_bytes"),
    ])
    func `each failure has its own code`(path: String, code: String) async throws {
        try await Gallery.open {
            $0.timeout = .milliseconds(path.contains("hang") || path.contains("slow") ? 200 : 20_000)
        } _: { origin, pipeline in
            var request = ImageRequest(origin.url(path), .fit(64, 64))
            request.limits.sourceBytes = .mebibytes(1)
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: request)
            }
            #expect(error?.code.rawValue == code)
            #expect(error?.url == origin.url(path))
            #expect(error?.message.isEmpty == false)
            await Gallery.expectIdle(pipeline)
        }
    }

    @Test(arguments: ["pictures", "chunked"])
    func `a source with more bytes than allowed is refused, announced or not`(
        prefix: String
    ) async throws {
        try await Gallery.open { origin, pipeline in
            var request = ImageRequest(origin.url("/\(prefix)/\(Gallery.large)"), .fit(64, 64))
            request.limits.sourceBytes = .kibibytes(64)
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: request)
            }
            #expect(error?.code == .tooManyBytes)
        }
    }

    @Test func `a source with too many pixels is refused before its body has come`() async throws {
        try await Gallery.open { origin, pipeline in
            var request = ImageRequest(origin.url("/slow/20000/\(Gallery.large)"), .fit(64, 64))
            request.limits.pixels = 1000
            request.limits.streamedPixels = 1000
            await #expect(throws: CalotypeError.self) { try await pipeline.rendition(for: request) }
            let seen = try await origin.statistics { $0.earlyHangUps == 1 }
            let length = try await Gallery.bytes(Gallery.large).count
            #expect(seen.bytesSent < length / 2)
        }
    }

    @Test func `a loopback address is refused under the public policy, and the error says so`()
        async throws
    {
        try await Gallery.open {
            $0.addressPolicy = .publicOnly
        } _: { origin, pipeline in
            let request = ImageRequest(origin.pictureURL(Gallery.photo))
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: request)
            }
            #expect(error?.code == .blockedAddress)
            #expect(error?.message.contains("--allow-private") == true)
            #expect(origin.statistics.connections == 0)
        }
    }

    @Test(arguments: ["", "not a url", "http://", "https://exa mple.com/a.jpg"])
    func `what is no URL says so`(text: String) async throws {
        try await Gallery.open { _, pipeline in
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: ImageRequest(text))
            }
            #expect(error?.code == .invalidURL)
        }
    }

    @Test func `an invalid request is refused immediately`() async throws {
        try await Gallery.open { origin, pipeline in
            for request in [
                ImageRequest(origin.pictureURL(Gallery.photo), .fit(-1, 10)),
                ImageRequest(origin.pictureURL(Gallery.photo), .fit(0, 0)),
                ImageRequest(origin.pictureURL(Gallery.photo), .fill(0, 0)),
                ImageRequest(origin.pictureURL(Gallery.photo), .stretch(0, 0)),
                ImageRequest(origin.pictureURL(Gallery.photo), .fill(10, 65_536)),
                ImageRequest(origin.pictureURL(Gallery.photo), .none, .jpeg(quality: 101)),
            ] {
                let error = await #expect(throws: CalotypeError.self) {
                    try await pipeline.rendition(for: request)
                }
                #expect(error?.code == .invalidRequest)
            }
            #expect(origin.statistics.connections == 0)
        }
    }

    @Test func `what a picture is can be asked without making one`() async throws {
        try await Gallery.open { origin, pipeline in
            let info = try await pipeline.info(of: .url(origin.pictureURL(Gallery.drawing)))
            #expect(info.facts.format == .png)
            #expect(info.facts.size == PixelSize(width: 200, height: 300))
            let length = try await Gallery.bytes(Gallery.drawing).count
            #expect(info.bytes.bytes == length)
            await Gallery.expectIdle(pipeline)
        }
    }
}
