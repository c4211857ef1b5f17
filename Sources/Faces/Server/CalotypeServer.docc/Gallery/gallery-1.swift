import Calotype

@main
struct Gallery {
    static func main() async throws {
        let urls = CommandLine.arguments.dropFirst()
        try await withImagePipeline { pipeline in
            for url in urls {
                let info = try await pipeline.info(of: .url(url))
                print(info.facts.size, url)
            }
        }
    }
}
