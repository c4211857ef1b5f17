internal import CalotypeCore

/// A page of the parts that a server has of an upload.
struct PartListing: Hashable, Sendable {
    /// A part that the server has.
    struct Part: Hashable, Sendable {
        let number: Int
        let size: ByteCount
        let tag: ObjectTag
    }

    /// The parts; what is no part is left out, so that it is sent again.
    let parts: [Part]
    /// The number behind which the next page begins; `nil` for the last page.
    let next: Int?

    init(_ document: XMLElement) {
        parts = document.all("Part").compactMap { element in
            guard let number = element.number("PartNumber"), (1...10_000).contains(number),
                let size = element.number("Size"), size >= 0, let tag = element["ETag"]
            else { return nil }
            return Part(number: number, size: ByteCount(size), tag: ObjectTag(tag))
        }
        let isTruncated = document["IsTruncated"]?.contains("true") == true
        next = isTruncated ? document.number("NextPartNumberMarker") : nil
    }
}
