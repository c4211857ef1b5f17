package import Calotype
import FoundationEssentials

extension ImagePipeline {
    /// Loads a JSON document, because a pipeline can load more than pictures.
    package func json<Value: Decodable>(_ type: Value.Type = Value.self, at url: String) async throws -> Value
    {
        let data = try await data(for: ImageRequest(url), check: .none)
        return try JSONDecoder().decode(type, from: Data(data.bytes))
    }
}
