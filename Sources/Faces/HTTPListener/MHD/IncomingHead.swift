import CalotypeCMicroHTTPD
package import CalotypeHTTPMessages
import CalotypePlatform

/// The head of a request, read from its connection's memory and checked.
package struct IncomingHead {
    let request: RequestHead
    let framing: RequestHead.Framing
    let bytes: Int

    /// Whether the response ends the connection.
    ///
    /// After a body nothing more is read, so nothing can hide there.
    var endsConnection: Bool { framing != .length(0) }

    /// Creates a head of `bytes` bytes that has been read and checked.
    package init(_ request: RequestHead, framing: RequestHead.Framing, bytes: Int) {
        self.request = request
        self.framing = framing
        self.bytes = bytes
    }

    /// Reads and checks the head for `call`.
    ///
    /// - Parameters:
    ///   - target: The target and its original location.
    ///   - call: The data that the library passes.
    ///   - rules: The rules for heads.
    /// - Throws: The reason for a refusal.
    init(_ target: RawTarget, _ call: HandlerCall, _ rules: HeadRules) throws(HTTPListenerError) {
        guard let methodStart = unsafe call.method, let version = unsafe call.version else {
            throw HTTPListenerError(400, "the request line is missing")
        }
        let capacity = rules.configuration.headerCount + 1
        let result = unsafe withUnsafeTemporaryAllocation(of: calotype_http_field.self, capacity: capacity) {
            buffer -> Result<Self, HTTPListenerError> in
            let count = unsafe calotype_http_fields(call.connection, buffer.baseAddress, capacity)
            let fields = unsafe UnsafeBufferPointer(rebasing: buffer.prefix(count))
            do throws(HTTPListenerError) {
                return .success(try unsafe Self(target, methodStart, version, fields, count, call, rules))
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    private init(
        _ target: RawTarget,
        _ methodStart: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>,
        _ fields: UnsafeBufferPointer<calotype_http_field>,
        _ count: Int,
        _ call: HandlerCall,
        _ rules: HeadRules
    ) throws(HTTPListenerError) {
        bytes = unsafe calotype_http_head_bytes(call.connection)
        let methodBytes = unsafe strlen(methodStart)
        let line = methodBytes + target.bytes + "  HTTP/1.1".utf8.count
        try rules.check(HeadRules.Sizes(requestLine: line, head: bytes, fields: count))
        let shape = HeadShape(
            method: UInt(bitPattern: methodStart),
            methodBytes: methodBytes,
            target: target.address,
            targetBytes: target.bytes,
            version: UInt(bitPattern: version),
            headBytes: bytes
        )
        guard unsafe shape.isExact(fields) else {
            throw HTTPListenerError(
                400,
                "a header line does not end in CRLF, is folded, or has a misplaced space"
            )
        }
        request = RequestHead(
            method: unsafe String(cString: methodStart),
            target: target.text,
            version: unsafe strcmp(version, "HTTP/1.0") == 0 ? .http1_0 : .http1_1,
            headers: HTTPHeaders(unsafe fields.map { unsafe Self.field($0) })
        )
        framing = try rules.check(request)
    }

    private static func field(_ field: calotype_http_field) -> HeaderField {
        let name = unsafe text(field.name, field.name_bytes)
        var count = unsafe field.value_bytes
        // The library has skipped blanks before the value; those after it are not part of it either.
        while count > 0, unsafe field.value[count - 1] == 0x20 || field.value[count - 1] == 0x09 {
            count -= 1
        }
        return HeaderField(name, unsafe text(field.value, count))
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

/// The target of a request as received, and its location in the connection's memory.
package struct RawTarget: Sendable {
    let text: String
    let address: UInt
    let bytes: Int

    /// Creates a known target that was received at `address`.
    init(_ text: String, at address: UInt) {
        self.text = text
        self.address = address
        bytes = text.utf8.count
    }

    package init(_ start: UnsafePointer<CChar>?) {
        address = UInt(bitPattern: start)
        guard let start = unsafe start else {
            (text, bytes) = ("", 0)
            return
        }
        bytes = unsafe strlen(start)
        // A target that is not UTF-8 could not be stored unchanged; an empty one is refused.
        text =
            unsafe String(validating: UnsafeRawBufferPointer(start: start, count: bytes), as: UTF8.self) ?? ""
    }
}

/// The memory layout of a head, which shows whether its bytes were exactly its parts and one CRLF per line.
///
/// libmicrohttpd 0.9.75 accepts a bare LF as the end of a line and joins folded lines, and reports neither.
/// But it splits the head into its parts in place, so the locations of the parts reveal what was between
/// them. Only addresses are compared; no byte between the parts is read. Other versions of the library may
/// move the parts, so this check skips them.
struct HeadShape {
    private static let isKnown = calotype_http_keeps_heads_in_place() != 0
    /// The length of `HTTP/1.1`.
    private static let versionBytes: UInt = 8

    /// The addresses where the method, the target and the version begin.
    let method: UInt
    let methodBytes: Int
    let target: UInt
    let targetBytes: Int
    let version: UInt
    /// The number of bytes from the method to the end of the empty line.
    let headBytes: Int

    func isExact(_ fields: UnsafeBufferPointer<calotype_http_field>) -> Bool {
        guard Self.isKnown else { return true }
        guard target == method &+ UInt(methodBytes) &+ 1, version == target &+ UInt(targetBytes) &+ 1 else {
            return false
        }
        var end = version &+ Self.versionBytes
        for index in 0..<fields.count {
            let field = unsafe fields[index]
            let name = unsafe UInt(bitPattern: field.name)
            let value = unsafe UInt(bitPattern: field.value)
            guard name == end &+ 2, unsafe value > name &+ UInt(field.name_bytes) else { return false }
            end = unsafe value &+ UInt(field.value_bytes)
        }
        return end &+ 4 == method &+ UInt(headBytes)
    }
}
