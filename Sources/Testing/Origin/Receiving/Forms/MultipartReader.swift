import Glibc

/// Takes a body of the type `multipart/form-data` apart as it comes (RFC 7578, RFC 2046 section 5.1).
struct MultipartReader: Sendable {
    enum Event: Sendable {
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

    init(boundary: String) {
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Whether the last part has ended.
    var isAtEnd: Bool { place == .end }

    /// What `bytes` bring.
    ///
    /// - Throws: 400 where they are not of this type.
    mutating func read(_ bytes: [UInt8]) throws(Refusal) -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while try advance(&events) {}
        return events
    }

    /// Takes one step; whether another may be possible.
    private mutating func advance(_ events: inout [Event]) throws(Refusal) -> Bool {
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
        // The beginning of a delimiter may stand at the end.
        let count = start ?? max(0, buffer.count - delimiter.count + 1)
        if place == .contents {
            if count > 0 { events.append(.data(Array(buffer[..<count]))) }
            if start != nil { events.append(.partEnd) }
        }
        buffer.removeFirst(count + (start == nil ? 0 : delimiter.count))
        if start != nil { place = .delimiter }
        return start != nil
    }

    private mutating func takeDelimiter() throws(Refusal) -> Bool {
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

    private mutating func takeHead(_ events: inout [Event]) throws(Refusal) -> Bool {
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

    /// Where `wanted`, which is not empty, begins first.
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

    private static var fault: Refusal { .receiving(400, "The body is no multipart/form-data.") }
}
