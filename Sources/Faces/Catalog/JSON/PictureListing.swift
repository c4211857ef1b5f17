import CalotypeCore
import CalotypeHTTP

/// The pictures that a document names at a path, and notes of what was left out.
struct PictureListing {
    private(set) var listing = CatalogListing<CatalogPicture>(entries: [])

    /// - Throws: `invalid_document` where nothing is at the path although there could be.
    init(_ document: JSONDocument, _ path: JSONPath, base: WebURL) throws(CatalogError) {
        let found = try document.decoded(as: JSONPathTexts.self, path)
        if found.texts.isEmpty, let deadEnd = found.deadEnd {
            throw CatalogError(
                .invalidDocument,
                "the path \(path) leads nowhere: the document has nothing at \(JSONPath.text(deadEnd))"
            )
        }
        for (index, text) in found.texts.enumerated() { add(text, index + 1, base) }
    }

    private mutating func add(_ text: String?, _ position: Int, _ base: WebURL) {
        guard let text else { return skip(position, "it is no text") }
        do {
            let url = Self.isAbsolute(text) ? try WebURL(text) : try base.resolving(text)
            listing.entries.append(CatalogPicture(url: Self.isAbsolute(text) ? text : url.text))
        } catch {
            skip(position, error.message)
        }
    }

    private mutating func skip(_ position: Int, _ reason: String) {
        listing.skipped.append(SkippedEntry(position: position, reason: reason))
    }

    private static func isAbsolute(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }
}
