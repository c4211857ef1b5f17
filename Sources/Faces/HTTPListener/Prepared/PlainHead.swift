import CalotypeCMicroHTTPD
import CalotypeFiles
import CalotypePlatform

extension HeadRules {
    /// Checks a head by its bytes, as strictly as an ``IncomingHead``.
    ///
    /// - Returns: The length of the head; `nil` if it is not acceptable, or if the response depends on more than
    ///   the target.
    func plainHead(_ call: HandlerCall, _ target: RawTarget) -> Int? {
        guard unsafe call.piece.isEmpty, let method = unsafe call.method, let version = unsafe call.version,
            unsafe strcmp(method, "GET") == 0, unsafe strcmp(version, "HTTP/1.1") == 0
        else { return nil }
        let capacity = configuration.headerCount
        return unsafe withUnsafeTemporaryAllocation(of: calotype_http_field.self, capacity: capacity) {
            buffer in
            let count = unsafe calotype_http_fields(call.connection, buffer.baseAddress, capacity)
            guard count <= capacity else { return nil }
            let fields = unsafe UnsafeBufferPointer(rebasing: buffer.prefix(count))
            let head = unsafe calotype_http_head_bytes(call.connection)
            let shape = HeadShape(
                method: UInt(bitPattern: method),
                methodBytes: 3,
                target: target.address,
                targetBytes: target.bytes,
                version: UInt(bitPattern: version),
                headBytes: head
            )
            let line = 3 + target.bytes + "  HTTP/1.1".utf8.count
            guard line <= configuration.requestLine.bytes, head <= configuration.headerBytes.bytes,
                unsafe shape.isExact(fields), unsafe FieldBytes.arePlain(fields)
            else { return nil }
            return head
        }
    }
}

/// The bytes of header fields.
private enum FieldBytes {
    /// Whether the fields are acceptable and have no effect on a response that was prepared for their target.
    static func arePlain(_ fields: UnsafeBufferPointer<calotype_http_field>) -> Bool {
        var hosts = 0
        for index in 0..<fields.count {
            let field = unsafe fields[index]
            let name = unsafe bytes(field.name, field.name_bytes)
            let value = unsafe bytes(field.value, field.value_bytes)
            guard unsafe isToken(name), unsafe isFieldValue(value), unsafe !isSpecial(name) else {
                return false
            }
            guard unsafe matches(name, "host") else { continue }
            hosts += 1
            guard unsafe isHost(value) else { return false }
        }
        return hosts == 1
    }

    /// Whether the field may change the response, or announces a body.
    private static func isSpecial(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 5: if unsafe matches(name, "range") { return true }
        case 6: if unsafe matches(name, "expect") { return true }
        case 12: if unsafe matches(name, "x-request-id") { return true }
        case 14: if unsafe matches(name, "content-length") { return true }
        case 17: if unsafe matches(name, "transfer-encoding") { return true }
        default: break
        }
        return unsafe name.count > 3 && matches(UnsafeRawBufferPointer(rebasing: name.prefix(3)), "if-")
    }

    /// Whether the name of a field, a token, is `word`, which is in lower case.
    private static func matches(_ name: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        guard name.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<name.count where unsafe name[index] | 0x20 != word.utf8Start[index] { return false }
        return true
    }

    private static func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count > 0 else { return false }
        for index in 0..<name.count {
            switch unsafe name[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            // Other characters are permitted, but nobody uses them.
            default: return false
            }
        }
        return true
    }

    private static func isFieldValue(_ value: UnsafeRawBufferPointer) -> Bool {
        var isGood = true
        for index in 0..<value.count {
            let byte = unsafe value[index]
            isGood = isGood && (byte >= 0x20 && byte != 0x7F || byte == 0x09)
        }
        return isGood
    }

    private static func isHost(_ value: UnsafeRawBufferPointer) -> Bool {
        for index in 0..<value.count {
            switch unsafe value[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "/"), UInt8(ascii: "?"),
                UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ","):
                return false
            default: continue
            }
        }
        return true
    }

    private static func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
