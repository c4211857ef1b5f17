internal import CalotypeCore

/// The boxes to blur, as a column of the list has them: `[[x1, y1, x2, y2], ...]` in fractions of the sides.
enum SampleBoxes {
    /// Maximum number of boxes of a picture.
    private static let limit = 1000

    /// Returns the areas that `field` names; none for no value.
    ///
    /// - Throws: `invalid_request` for anything else, because a picture must not be stored with areas visible
    ///   that were to be blurred.
    static func areas(_ field: ListField) throws(CalotypeError) -> [RelativeArea] {
        let text = (field.text ?? "").filter { !$0.isWhitespace }
        if text.isEmpty || text == "[]" { return [] }
        guard text.hasPrefix("[["), text.hasSuffix("]]") else { throw error(text) }
        let boxes = text.dropFirst(2).dropLast(2).split(separator: "],[", omittingEmptySubsequences: false)
        guard boxes.count <= limit else { throw error("\(boxes.count) boxes; the limit is \(limit)") }
        var areas: [RelativeArea] = []
        for box in boxes {
            let sides = box.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
            guard sides.count == 4, box.count(where: { $0 == "," }) == 3,
                let area = RelativeArea(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3])
            else { throw error(String(box)) }
            areas.append(area)
        }
        return areas
    }

    private static func error(_ found: String) -> CalotypeError {
        CalotypeError(
            .invalidRequest,
            "the boxes to blur must be a list such as [[0.1, 0.2, 0.5, 0.6]], not '\(found.prefix(80))'",
            stage: .request
        )
    }
}
