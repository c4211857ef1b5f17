package import Calotype
import FoundationEssentials

extension ImagePipeline {
    /// Loads a JSON document: what a pipeline fetches need not be a picture.
    package func json<Value: Decodable>(_ type: Value.Type = Value.self, at url: String) async throws -> Value
    {
        let data = try await data(for: ImageRequest(url), check: .none)
        return try JSONDecoder().decode(type, from: Data(data.bytes))
    }
}
