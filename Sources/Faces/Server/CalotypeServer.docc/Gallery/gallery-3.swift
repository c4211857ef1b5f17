import Calotype
import CalotypeServer

@main
struct Gallery {
    static func main() async throws {
        let urls = Array(CommandLine.arguments.dropFirst())
        let photos = try await withImagePipeline { pipeline in
            await Photo.all(at: urls, pipeline)
        }
        var configuration = ServerConfiguration()
        configuration.listener.port = 8080
        configuration.paths.prefix = "/thumbnails"
        configuration.signing.keys = [Array("a key of your own".utf8)]
        configuration.signing.salts = [Array("and a salt".utf8)]
        // Only because the photos are on this machine.
        configuration.allowsPrivateAddresses = true
        configuration.accessLog = nil
        try await withThumbnailResponder(configuration) { thumbnails in
            let site = try Site(thumbnails, photos)
            try await thumbnails.withListener(answering: site) { server in
                print("http://127.0.0.1:\(server.port)/ shows \(photos.count) photos")
                await untilTerminated()
                await server.drain()
            }
        }
        print("closed")
    }
}
