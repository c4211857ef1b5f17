internal import CalotypeCore

extension PlannedMedium {
    /// The plan as a JSON object on one line, for programs.
    package var json: String {
        let wire = Wire(
            position: position,
            name: name,
            type: type.name,
            size: sourceSize?.bytes,
            change: change
        )
        return JSONLine.text(wire)
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
