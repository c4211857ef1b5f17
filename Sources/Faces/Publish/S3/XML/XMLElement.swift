internal import CalotypeCore

/// An element of an XML document with all that is in it.
struct XMLElement: Hashable, Sendable {
    /// The name without its prefix.
    let name: String
    /// The text that stands directly in it, all pieces together.
    private(set) var text = ""
    /// The elements directly in it, in order.
    private(set) var children: [XMLElement] = []

    private init(name: String) {
        self.name = name
    }

    /// Reads a whole document.
    ///
    /// - Throws: `invalid_document`.
    init(document bytes: [UInt8]) throws(CalotypeError) {
        var reader = XMLReader(bytes)
        var open: [XMLElement] = []
        var root: XMLElement?
        while let event = try reader.next() {
            switch event {
            case .start(let name): open.append(XMLElement(name: name))
            case .text(let text):
                if !open.isEmpty { open[open.count - 1].text += text }
            case .end:
                guard let element = open.popLast() else { break }
                if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
            }
        }
        guard let root else { throw XMLReader.invalid("it has no element") }
        self = root
    }

    /// The text of the first child of that name; `nil` where there is none.
    subscript(name: String) -> String? {
        children.first { $0.name == name }?.text
    }

    /// The number that the first child of that name holds, whatever blanks are around it.
    func number(_ name: String) -> Int? {
        guard let words = self[name]?.split(whereSeparator: \.isWhitespace), words.count == 1 else {
            return nil
        }
        return Int(words[0])
    }

    /// The children of that name.
    func all(_ name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}
