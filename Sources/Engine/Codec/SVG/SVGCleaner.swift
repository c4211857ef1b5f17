import CalotypeCore

/// Writes a drawing again with nothing in it but what is drawn.
///
/// Scripts, handlers, foreign content, and references to anything outside the document are left out, as are
/// animations, comments, the document type and other namespaces.
struct SVGCleaner {
    private var scanner: XMLScanner
    /// The size of the result for librsvg; `nil` for a document like the source.
    private let size: PixelSize?
    private var text: [UInt8] = []
    /// The open elements, by their names in the document, and as they are kept; `nil` if one is left out.
    private var open: [(name: String, kept: String?)] = []
    /// The number of open elements from the outermost that is left out.
    private var leftOut = 0
    private var elements = 0
    /// The contents so far of the open style sheet.
    private var sheet = ""

    private static let names =
        "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
    static let mostBytes = ByteCount.mebibytes(8)
    private static let mostElements = 100_000
    private static let deepest = 200

    /// Returns the drawing in `bytes`, `size` pixels large, for librsvg.
    ///
    /// - Throws: `outOfBytes`, `corrupt`; `unsupported` for a drawing beyond the limits, or with parts that would
    ///   be missing.
    static func drawing(_ bytes: [UInt8], size: PixelSize) throws(CodecError) -> [UInt8] {
        try cleaned(bytes, size)
    }

    /// Returns the drawing in `bytes` as a document for browsers, with its texts and the pictures in it.
    ///
    /// - Throws: `outOfBytes`, `corrupt`; `unsupported` for a drawing beyond the limits.
    static func document(_ bytes: [UInt8]) throws(CodecError) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .unsupported("its text is not UTF-8")
        }
        return try cleaned(bytes, nil)
    }

    private static func cleaned(_ bytes: [UInt8], _ size: PixelSize?) throws(CodecError) -> [UInt8] {
        guard bytes.count <= mostBytes.bytes else {
            throw .unsupported("it has \(ByteCount(bytes.count)); the limit is \(mostBytes)")
        }
        var cleaner = SVGCleaner(scanner: XMLScanner(bytes), size: size)
        try cleaner.run()
        return cleaner.text
    }

    private init(scanner: XMLScanner, size: PixelSize?) {
        self.scanner = scanner
        self.size = size
    }

    private mutating func run() throws(CodecError) {
        while let token = try scanner.next() {
            switch token {
            case .start(let name, let attributes, let isEmpty): try start(name, attributes, isEmpty)
            case .end(let name): try end(name)
            case .text(let content): add(content)
            }
            if open.isEmpty, elements > 0 { return }
        }
        throw elements > 0 ? .outOfBytes : .corrupt("the SVG has no drawing")
    }

    private mutating func start(
        _ name: String,
        _ attributes: [XMLScanner.Attribute],
        _ isEmpty: Bool
    ) throws(CodecError) {
        elements += 1
        guard elements <= Self.mostElements else {
            throw .unsupported("it has more than \(Self.mostElements) elements")
        }
        guard open.count < Self.deepest else {
            throw .unsupported("it has more than \(Self.deepest) elements inside each other")
        }
        let isRoot = open.isEmpty
        let local = SVGNames.local(name)
        if size != nil, leftOut == 0, let local, let refusal = SVGRules.refusal(local, attributes) {
            throw .unsupported(refusal)
        }
        let element = local.flatMap { SVGRules.isKept($0, isDrawn: size != nil) ? $0 : nil }
        if isRoot {
            guard element == "svg" else { throw .corrupt("the SVG has no drawing") }
            if let size { addFrame(size, SVGHeader.declared(attributes)) }
        }
        open.append((name, element))
        if leftOut > 0 || element == nil {
            leftOut += 1
        } else if let element {
            add(element, attributes, isRoot: isRoot)
        }
        if isEmpty { try end(name) }
    }

    private mutating func end(_ name: String) throws(CodecError) {
        guard let (begun, element) = open.popLast(), begun == name else {
            throw .corrupt("the tags of the SVG do not match")
        }
        if leftOut > 0 {
            leftOut -= 1
        } else if let element {
            if element == "style" { endSheet() }
            text += Array("</\(element)>".utf8)
        }
        if open.isEmpty, size != nil { text += Array("</svg>".utf8) }
    }

    /// Begins a drawing of `size` that shows another of the declared size, stretched by less than a pixel.
    private mutating func addFrame(_ size: PixelSize, _ declared: SVGHeader.Declared) {
        let box = "viewBox=\"0 0 \(declared.width) \(declared.height)\" preserveAspectRatio=\"none\""
        text += Array("<svg \(Self.names) width=\"\(size.width)\" height=\"\(size.height)\" \(box)>".utf8)
    }

    private mutating func add(_ element: String, _ attributes: [XMLScanner.Attribute], isRoot: Bool) {
        text += Array("<\(element)".utf8)
        if isRoot, size == nil { text += Array(" \(Self.names)".utf8) }
        let isFramed = isRoot && size != nil
        var seen: Set<String> = []
        for attribute in attributes where seen.insert(attribute.name).inserted {
            if isFramed, ["x", "y", "width", "height"].contains(attribute.name) { continue }
            guard let value = SVGRules.kept(attribute, on: element, isDrawn: size != nil) else { continue }
            text += Array(" \(attribute.name)=\"".utf8)
            escape(isFramed && attribute.name == "style" ? SVGRules.unsized(style: value) : value)
            text.append(UInt8(ascii: "\""))
        }
        if isFramed {
            let declared = SVGHeader.declared(attributes)
            text += Array(" width=\"\(declared.width)\" height=\"\(declared.height)\"".utf8)
        }
        text.append(UInt8(ascii: ">"))
    }

    private mutating func add(_ content: String) {
        guard leftOut == 0, let element = open.last?.kept else { return }
        if element == "style" {
            sheet += content
        } else if SVGRules.texts.contains(element) {
            escape(content)
        }
    }

    private mutating func endSheet() {
        escape(size == nil ? SVGStyle.local(sheet) : sheet)
        sheet = ""
    }

    private mutating func escape(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): text += Array("&amp;".utf8)
            case UInt8(ascii: "<"): text += Array("&lt;".utf8)
            case UInt8(ascii: ">"): text += Array("&gt;".utf8)
            case UInt8(ascii: "\""): text += Array("&quot;".utf8)
            case 0..<0x20: text.append(0x20)
            default: text.append(byte)
            }
        }
    }
}
