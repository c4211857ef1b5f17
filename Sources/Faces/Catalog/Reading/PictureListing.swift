import CalotypeCore
import CalotypeHTTP
import FoundationEssentials

/// The pictures at a path of a document, and notes about skipped entries.
struct PictureListing {
    private(set) var listing = CatalogListing<CatalogPicture>(entries: [])

    /// - Throws: `invalid_document` if the path matches nothing although it could.
    init(_ document: JSONDocument, _ path: JSONPath, base: WebURL) throws(CatalogError) {
        let found = try document.decoded(as: JSONPathTexts.self, path)
        if found.texts.isEmpty, let deadEnd = found.deadEnd {
            throw CatalogError(
                .invalidDocument,
                "the path \(path) matches nothing: the document has nothing at \(JSONPath.text(deadEnd))"
            )
        }
        for (index, text) in found.texts.enumerated() { add(text, index + 1, base) }
    }

    private mutating func add(_ text: String?, _ position: Int, _ base: WebURL) {
        guard let text else { return skip(position, "it is not a string") }
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

/// The strings at a path of a JSON document; decoding visits only this path, once.
struct JSONPathTexts: DecodableWithConfiguration {
    /// The values at the end of the path, in the order of the document.
    ///
    /// A value that is not a string is `nil`.
    private(set) var texts: [String?] = []
    /// The longest part of the path that fails somewhere; `nil` if the path matches everywhere.
    private(set) var deadEnd: ArraySlice<JSONPath.Step>?

    init(from decoder: any Decoder, configuration: JSONPath) throws {
        try follow(configuration.steps, from: 0, decoder)
    }

    private mutating func follow(
        _ steps: [JSONPath.Step],
        from depth: Int,
        _ decoder: any Decoder
    ) throws {
        guard depth < steps.count else {
            // Other values are reported as such.
            texts.append(try? decoder.singleValueContainer().decode(String.self))
            return
        }
        let below = try Self.below(decoder, steps[depth])
        if below == nil, depth >= deadEnd?.count ?? 0 { deadEnd = steps[...depth] }
        for decoder in below ?? [] { try follow(steps, from: depth + 1, decoder) }
    }

    /// Returns the decoders after a step; `nil` if there is no such field or element.
    private static func below(_ decoder: any Decoder, _ step: JSONPath.Step) throws -> [any Decoder]? {
        switch step {
        case .name(let name):
            // Anything but an object has no fields.
            guard let fields = try? decoder.container(keyedBy: AnyName.self) else { return nil }
            let key = AnyName(stringValue: name)
            return fields.contains(key) ? [try fields.superDecoder(forKey: key)] : nil
        case .index(let index): return try element(index, decoder).map { [$0] }
        case .all: return try all(decoder)
        }
    }

    private static func element(_ index: Int, _ decoder: any Decoder) throws -> (any Decoder)? {
        guard let all = try elements(decoder) else { return nil }
        let place = index < 0 ? all.count + index : index
        return all.indices.contains(place) ? all[place] : nil
    }

    private static func all(_ decoder: any Decoder) throws -> [any Decoder]? {
        if let elements = try elements(decoder) { return elements }
        // Anything but an object has no fields.
        guard let fields = try? decoder.container(keyedBy: AnyName.self) else { return nil }
        return try fields.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
            try fields.superDecoder(forKey: $0)
        }
    }

    private static func elements(_ decoder: any Decoder) throws -> [any Decoder]? {
        // Anything but an array has no elements.
        guard var container = try? decoder.unkeyedContainer() else { return nil }
        var elements: [any Decoder] = []
        while !container.isAtEnd { elements.append(try container.superDecoder()) }
        return elements
    }
}

/// The name of any field.
private struct AnyName: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
