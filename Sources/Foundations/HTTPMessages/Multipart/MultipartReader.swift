import CalotypePlatform

/// Reads a body of the type `multipart/form-data` as it arrives (RFC 7578, RFC 2046 section 5.1).
package struct MultipartReader: Sendable {
    package enum Event: Sendable {
        /// A part begins.
        case part(PartHead)
        /// Some bytes of the part.
        case data([UInt8])
        /// The part ends.
        case partEnd
    }

    private enum Place {
        case preamble, delimiter, head, contents, end
    }

    private static let largestHead = 16 << 10
    private static let largestPartCount = 100

    private let delimiter: [UInt8]
    private var buffer: [UInt8] = [13, 10]
    private var place = Place.preamble
    private var partCount = 0

    /// Creates a reader of the parts between `boundary`.
    package init(boundary: String) {
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Whether the last part has ended.
    package var isAtEnd: Bool { place == .end }

    /// Returns the events that `bytes` complete.
    ///
    /// - Throws: `malformed_form` if they are not of this type.
    package mutating func read(_ bytes: [UInt8]) throws(HTTPMessageError) -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while try advance(&events) {}
        return events
    }

    /// Takes one step.
    ///
    /// Returns whether another may be possible.
    private mutating func advance(_ events: inout [Event]) throws(HTTPMessageError) -> Bool {
        switch place {
        case .preamble: return takeContents(&events)
        case .contents: return takeContents(&events)
        case .delimiter: return try takeDelimiter()
        case .head: return try takeHead(&events)
        case .end:
            buffer = []
            return false
        }
    }

    private mutating func takeContents(_ events: inout [Event]) -> Bool {
        let start = Self.find(delimiter, in: buffer)
        // The beginning of a delimiter may be at the end.
        let count = start ?? max(0, buffer.count - delimiter.count + 1)
        if place == .contents {
            if count > 0 { events.append(.data(Array(buffer[..<count]))) }
            if start != nil { events.append(.partEnd) }
        }
        buffer.removeFirst(count + (start == nil ? 0 : delimiter.count))
        if start != nil { place = .delimiter }
        return start != nil
    }

    private mutating func takeDelimiter() throws(HTTPMessageError) -> Bool {
        guard buffer.count >= 2 else { return false }
        let next = Array(buffer.prefix(2))
        buffer.removeFirst(2)
        switch next {
        case [45, 45]: place = .end
        case [13, 10]: place = .head
        default: throw Self.fault
        }
        return true
    }

    private mutating func takeHead(_ events: inout [Event]) throws(HTTPMessageError) -> Bool {
        guard let end = Self.find([13, 10, 13, 10], in: buffer) else {
            guard buffer.count <= Self.largestHead else { throw Self.fault }
            return false
        }
        guard let head = PartHead(buffer[..<end]), partCount < Self.largestPartCount else { throw Self.fault }
        partCount += 1
        events.append(.part(head))
        buffer.removeFirst(end + 4)
        place = .contents
        return true
    }

    /// Returns the first position of `wanted`, which is not empty.
    private static func find(_ wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress else { return nil }
            var index = 0
            while index + wanted.count <= bytes.count {
                let left = bytes.count - wanted.count - index + 1
                guard let found = unsafe memchr(start + index, Int32(wanted[0]), left) else { return nil }
                index = unsafe UnsafeRawPointer(found) - start
                if unsafe memcmp(found, wanted, wanted.count) == 0 { return index }
                index += 1
            }
            return nil
        }
    }

    private static var fault: HTTPMessageError {
        HTTPMessageError(.malformedForm, "The body is not multipart/form-data.")
    }
}

/// The head of a part of a form (RFC 7578, section 4).
package struct PartHead: Sendable {
    /// The field's name.
    package let name: String
    /// The name of the file; `nil` if the part is not a file.
    package let fileName: String?
    /// The media type that the client gave.
    package let mediaType: String?

    /// Reads the lines; `nil` if they are not the head of a part.
    init?(_ bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var fields: [String: String] = [:]
        for line in text.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        guard let disposition = fields["content-disposition"], disposition.hasPrefix("form-data"),
            let name = Self.parameter("name", in: disposition)
        else { return nil }
        self.name = name
        fileName = Self.parameter("filename", in: disposition)
        mediaType = fields["content-type"]
    }

    /// The value of a parameter of a field such as `form-data; name="file"`.
    ///
    /// Quotes and line ends in it are written as browsers write them.
    package static func parameter(_ name: String, in field: String) -> String? {
        var rest = field[...]
        while let mark = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: mark)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let key = rest[..<equals]
            let value = Self.value(&rest, from: rest.index(after: equals))
            if key.lowercased() == name { return value }
        }
        return nil
    }

    /// Returns the value that begins at `start`, and sets `rest` to the text after it.
    private static func value(_ rest: inout Substring, from start: String.Index) -> String {
        rest = rest[start...]
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" }
            rest = rest[value.endIndex...]
            return String(value)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            let isEscape = character == "\\" && (rest.first == "\"" || rest.first == "\\")
            value.append(isEscape ? rest.removeFirst() : character)
        }
        return value.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}
