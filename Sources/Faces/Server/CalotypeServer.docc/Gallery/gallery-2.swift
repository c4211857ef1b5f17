import Calotype

@main
struct Gallery {
    static func main() async throws {
        let urls = Array(CommandLine.arguments.dropFirst())
        let photos = try await withImagePipeline { pipeline in
            await Photo.all(at: urls, pipeline)
        }
        for photo in photos { print(photo.size, photo.url) }
    }
}
