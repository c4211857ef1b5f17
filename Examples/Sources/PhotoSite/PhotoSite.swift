import Calotype
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeServer
import ExampleKit

/// Serves a page with signed thumbnails from this process, visits it, and shuts it down.
@main
struct PhotoSite {
    static func main() async {
        await Example.run {
            try await withSampleOrigin { origin in
                let photos = (1...3).map { origin.thumbnailURL($0) }
                try await withImagePipeline { browser in
                    let address = try await serve(photos) { address in try await visit(address, browser) }
                    let code = await failure(of: ImageRequest(address + "/"), browser)
                    print("after the end: \(code?.description ?? "still there")")
                    try Example.expect(code == .connectFailed, "nothing listens any more")
                }
            }
        }
    }

    /// Runs `visit` while the site is open at a port that the system chooses, and returns the site's address.
    private static func serve(
        _ photos: [String],
        _ visit: (String) async throws -> Void
    ) async throws -> String {
        var configuration = ServerConfiguration()
        configuration.listener.port = 0
        configuration.paths.prefix = "/thumbnails"
        // Only paths that the page contains are served.
        configuration.signing.keys = [Array("the key of an example".utf8)]
        configuration.signing.salts = [Array("and its salt".utf8)]
        // The origin runs on this machine.
        configuration.allowsPrivateAddresses = true
        configuration.accessLog = nil
        return try await withThumbnailResponder(configuration) { thumbnails in
            let site = try Site(thumbnails, photos: photos)
            return try await thumbnails.withListener(answering: site) { server in
                let address = "http://\(server.host):\(server.port)"
                try await visit(address)
                // Finishes requests in progress; at the end of the scope nothing of the server is left.
                await server.drain()
                return address
            }
        }
    }

    private static func visit(_ address: String, _ browser: ImagePipeline) async throws {
        let page = try await browser.data(for: ImageRequest(address + "/"), check: .none)
        let images = String(decoding: page.bytes, as: UTF8.self).split(separator: "\"").filter {
            $0.hasPrefix("/thumbnails/")
        }
        try Example.expect(images.count == 3, "three images in the page, not \(images.count)")
        for image in images {
            let facts = try await browser.info(of: .url(address + image)).facts
            print("  \(facts.size), \(facts.format.rawValue)")
            try Example.expect(facts.size == PixelSize(width: 96, height: 96), "thumbnails of 96 x 96")
            try Example.expect(facts.format == .webp, "thumbnails as WebP")
        }
        let forged = address + images[0].replacing("fill:96:96", with: "fill:960:960")
        let code = await failure(of: ImageRequest(forged), browser)
        print("a path that somebody changed: \(code?.description ?? "served")")
        try Example.expect(code == .http(status: 403), "no thumbnail without a signature")
    }

    /// The code of the error that loading `request` ends with; `nil` if it succeeds.
    private static func failure(of request: ImageRequest, _ browser: ImagePipeline) async -> ErrorCode? {
        do {
            _ = try await browser.data(for: request, check: .none)
            return nil
        } catch {
            return (error as? CalotypeError)?.code
        }
    }
}
