import CalotypeCMicroHTTPD
import CalotypeHTTPMessages

/// A source of the bytes of a response, which the library pulls.
class ContentReader {
    /// Copies bytes from `position` into `buffer`; see `MHD_ContentReaderCallback` for the result.
    func read(_ position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int { Self.failed }

    static let end = -1
    static let failed = -2
}

/// A response for the library.
// SAFETY: the only owner of the pointer, which its deinit releases.
@safe
struct MHDResponse: ~Copyable {
    private let pointer: OpaquePointer

    /// The size up to which bytes are copied immediately.
    ///
    /// The library reads more in pieces, as the client receives them.
    private static let copied = 64 << 10
    private static let pieceBytes = 64 << 10

    /// Creates a response, or returns `nil` if memory runs out.
    ///
    /// - Parameters:
    ///   - answer: The content to send.
    ///   - exchange: Provides the stream, and receives how much was sent.
    init?(_ answer: Answer, _ exchange: Exchange?) {
        let made: OpaquePointer? =
            switch answer.content {
            case .nothing(let length): unsafe Self.makeHead(length)
            case .stream(let length):
                unsafe Self.make(length, StreamReader(exchange), pieces: Self.pieceBytes)
            case .bytes(let bytes, let range) where range.count <= Self.copied: unsafe Self.make(bytes[range])
            case .bytes(let bytes, let range):
                unsafe Self.make(range.count, BytesReader(bytes, range, exchange), pieces: Self.pieceBytes)
            }
        guard let made = unsafe made else { return nil }
        unsafe pointer = made
        for field in answer.fields { _ = unsafe MHD_add_response_header(pointer, field.name, field.value) }
    }

    deinit {
        unsafe MHD_destroy_response(pointer)
    }

    /// Passes the response to the connection, which holds it while sending.
    ///
    /// Returns `false` if that fails.
    func send(_ status: Int, on connection: OpaquePointer) -> Bool {
        unsafe MHD_queue_response(connection, UInt32(status), pointer) == .YES
    }

    /// Creates a response that ends with its head.
    private static func makeHead(_ length: Int?) -> OpaquePointer? {
        let response = unsafe make(length, ContentReader(), pieces: 1)
        if let response = unsafe response, length == nil { unsafe calotype_http_close_after(response) }
        return unsafe response
    }

    private static func make(_ bytes: ArraySlice<UInt8>) -> OpaquePointer? {
        unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
        }
    }

    private static func make(_ length: Int?, _ reader: ContentReader, pieces: Int) -> OpaquePointer? {
        if length == 0 { return unsafe MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
        let context = unsafe Unmanaged.passRetained(reader).toOpaque()
        let size = length.map { UInt64($0) } ?? UInt64.max
        let response = unsafe MHD_create_response_from_callback(
            size,
            pieces,
            readContent,
            context,
            freeContent
        )
        if unsafe response == nil { unsafe freeContent(context) }
        return unsafe response
    }
}

private final class BytesReader: ContentReader {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let exchange: Exchange?

    init(_ bytes: [UInt8], _ range: Range<Int>, _ exchange: Exchange?) {
        self.bytes = bytes
        self.range = range
        self.exchange = exchange
    }

    override func read(_ position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = range.lowerBound + position
        let count = min(range.upperBound - start, buffer.count)
        guard count > 0 else { return Self.failed }
        unsafe buffer.copyBytes(from: bytes[start..<start + count])
        exchange?.sent(upTo: position + count)
        return count
    }
}

private final class StreamReader: ContentReader {
    private let exchange: Exchange?

    init(_ exchange: Exchange?) {
        self.exchange = exchange
    }

    override func read(_ position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch exchange?.take(buffer.count) {
        case .bytes(let bytes):
            unsafe buffer.copyBytes(from: bytes)
            return bytes.count
        case .wait: return 0
        case .end: return Self.end
        case .failed, nil: return Self.failed
        }
    }
}

private func readContent(
    _ context: UnsafeMutableRawPointer?,
    _ position: UInt64,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ limit: Int
) -> Int {
    guard let context = unsafe context else { return ContentReader.failed }
    let reader = unsafe Unmanaged<ContentReader>.fromOpaque(context).takeUnretainedValue()
    return unsafe reader.read(Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: limit))
}

private func freeContent(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<ContentReader>.fromOpaque(context).release() }
}
