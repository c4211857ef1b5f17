import Calotype
import CalotypeCore

struct ReadmeSnippets {
    /// A main file's code, which would load what the test program is called with.
    func main() async throws {
        // snippet: Readme
        let urls = Array(CommandLine.arguments.dropFirst())
        try await withImagePipeline { pipeline in  // returns only when all its work has ended
            let requests = urls.map { ImageRequest($0, .fit(256, 256), .jpeg(quality: 82)) }
            for await outcome in pipeline.renditions(for: requests) {  // as they finish, failures as values
                switch outcome.result {
                case .success(let picture): try picture.write(to: "\(outcome.index).jpg")
                case .failure(let error): print(urls[outcome.index], error.code, error.message)
                }
            }
        }
        // end
    }
}
