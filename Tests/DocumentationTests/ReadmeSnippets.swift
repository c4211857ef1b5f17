import Calotype
import CalotypeCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReadmeSnippets {
    private let urls: [String] = []

    @Test func `loading many pictures`() async throws {
        // snippet: Readme
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
