import CalotypeCMicroHTTPD
import CalotypeHTTPMessages
import CalotypePlatform
import TaskFlow

/// A 200 response with all its bytes, ready to be sent again and again to requests without conditions.
package final class PreparedResponse: Sendable {
    /// The number of bytes that a response takes besides its body: the fields, in two objects of the library.
    package static let overheadBytes = 4_096
    /// The maximum size of a body.
    ///
    /// The library reports how much of a larger one was sent, which the log needs if the client disconnects.
    private static let mostBytes = 64 << 10
    private static let mostSpares = 2

    /// The target that it answers.
    package let target: String
    /// The content.
    package let content: any PreparedContent
    private let fields: [HeaderField]
    private let idName: String
    private let body: PinnedBytes
    /// The objects of the library that no request uses.
    private let spares = Guarded<[SentResponse]>([])

    /// Prepares `response`, or returns `nil` if it is not suitable.
    ///
    /// - Parameters:
    ///   - response: The response as for a request without conditions.
    ///   - target: The target that it answers.
    ///   - name: The value of the `Server` field; empty to omit the field.
    ///   - idName: The field that contains the ID of the request.
    ///   - content: The content.
    package init?(
        _ response: OutgoingResponse,
        target: String,
        from name: String,
        idName: String,
        _ content: any PreparedContent
    ) {
        var response = response
        response.headers.removeAll(idName)
        let request = IncomingRequest(
            method: "GET",
            target: target,
            headers: HTTPHeaders(),
            client: "",
            arrival: .now,
            body: .empty
        )
        let answer = Answer(response, to: request, from: name, closes: false)
        guard answer.status == 200, !answer.fields.contains(where: { $0.hasName("Connection") }),
            case .bytes(let bytes, let range) = answer.content, range == 0..<bytes.count,
            (1...Self.mostBytes).contains(bytes.count)
        else { return nil }
        self.target = target
        self.content = content
        self.idName = idName
        fields = answer.fields
        body = PinnedBytes(bytes)
    }

    /// The number of bytes in the body.
    package var bodyBytes: Int { body.count }

    /// Whether these bytes are the target.
    package func answers(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        let isSame = unsafe target.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == count, let text = text.baseAddress, let bytes = bytes.baseAddress
            else { return false }
            return unsafe memcmp(text, bytes, count) == 0
        }
        // Text from the listener always has contiguous storage.
        return isSame ?? false
    }

    /// Returns an object of the library for one request, or `nil` if memory runs out.
    func take(_ id: UInt64) -> SentResponse? {
        let spare = spares.withLock { $0.popLast() }
        guard let sent = spare ?? SentResponse(fields, body) else { return nil }
        return sent.identify(id, in: idName) ? sent : nil
    }

    /// Takes an object back after its request has ended.
    func giveBack(_ sent: SentResponse) {
        spares.withLock { spares in
            if spares.count < Self.mostSpares { spares.append(sent) }
        }
    }
}

// SAFETY: the bytes are written before anybody else has the object, and freed with it.
/// Bytes at a fixed address.
@safe
final class PinnedBytes: @unchecked Sendable {
    let count: Int
    fileprivate let start: UnsafeMutableRawPointer

    init(_ bytes: [UInt8]) {
        count = bytes.count
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        unsafe bytes.withUnsafeBytes { bytes in
            if let first = bytes.baseAddress { unsafe start.copyMemory(from: first, byteCount: bytes.count) }
        }
    }

    deinit {
        unsafe start.deallocate()
    }
}

// SAFETY: one request at a time has it, on the thread of its connection. When that request has ended, the
// library only releases its own reference to the object, under a lock (0.9.75).
/// An object of the library for a prepared response, used by one request after another.
@safe
final class SentResponse: @unchecked Sendable {
    private let pointer: OpaquePointer

    fileprivate init?(_ fields: [HeaderField], _ body: PinnedBytes) {
        let held = unsafe Unmanaged.passRetained(body).toOpaque()
        let made = unsafe MHD_create_response_from_buffer_with_free_callback_cls(
            body.count,
            body.start,
            releaseBytes,
            held
        )
        guard let made = unsafe made else {
            unsafe releaseBytes(held)
            return nil
        }
        unsafe pointer = made
        for field in fields { _ = unsafe MHD_add_response_header(pointer, field.name, field.value) }
    }

    deinit {
        unsafe MHD_destroy_response(pointer)
    }

    /// Sets the ID of the request; `false` if memory runs out.
    fileprivate func identify(_ id: UInt64, in name: String) -> Bool {
        unsafe calotype_http_identify(pointer, name, id) == 0
    }

    /// Passes the response to the connection, which holds it while sending.
    func send(on connection: OpaquePointer) {
        // If the library found an error that it does not report, it has its own response, and sends that one.
        _ = unsafe MHD_queue_response(connection, 200, pointer)
    }
}

private func releaseBytes(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<PinnedBytes>.fromOpaque(context).release() }
}
