import Calotype
import CalotypeTestKit
import Foundation

/// Loads images over transports of one's own: files of a folder, and requests that are signed.
@main
enum Main {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "calotype-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(TinyPicture.jpeg(PixelSize(width: 64, height: 48))).write(
            to: folder.appendingPathComponent("1.jpg")
        )

        var configuration = PipelineConfiguration()
        configuration.exchange = FolderTransport(folder: folder)
        try await withImagePipeline(configuration) { pipeline in
            let small = try await pipeline.rendition(
                for: ImageRequest("http://folder.test/1.jpg", .fit(32, 32))
            )
            print("1.jpg: \(small.size)")
            guard small.size == PixelSize(width: 32, height: 24) else { exit(1) }
            do {
                _ = try await pipeline.rendition(for: ImageRequest("http://folder.test/2.jpg"))
                exit(1)
            } catch let error as CalotypeError {
                print("2.jpg: \(error.code)")
            }
        }

        let origin = ScriptedTransport(otherwise: .bytes(TinyPicture.jpeg(PixelSize(width: 64, height: 48))))
        configuration.exchange = SigningTransport(base: origin) { "for \($0.text)" }
        try await withImagePipeline(configuration) { pipeline in
            _ = try await pipeline.rendition(for: ImageRequest("http://photos.test/1.jpg", .fit(32, 32)))
        }
        let signature = origin.requests.first?.headers["Authorization"]
        print("signed: \(signature ?? "no")")
        guard signature == "for http://photos.test/1.jpg" else { exit(1) }
    }
}
