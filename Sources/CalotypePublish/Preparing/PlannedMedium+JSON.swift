internal import CalotypeCore
internal import FoundationEssentials

extension PlannedMedium {
    /// The plan as a JSON object on one line, for programs.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let wire = Wire(
            position: position,
            name: name,
            type: type.name,
            size: sourceSize?.bytes,
            change: change
        )
        // Texts and numbers: there is nothing that cannot be encoded.
        return (try? encoder.encode(wire)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// A plan as JSON.
private struct Wire: Encodable {
    let position: Int
    let name: String
    let type: String
    let size: Int?
    let change: String?
}
