import CalotypeCMicroHTTPD
import CalotypeCMicroHTTPDShim

/// Whether a head came in exactly the bytes that its parts stand for, one CRLF after each line.
///
/// libmicrohttpd 0.9.75 takes a bare LF for the end of a line and joins folded lines, and tells neither. But it cuts the
/// head into its parts where it lies, so that the parts' places tell what was between them. Only addresses are compared;
/// no byte between the parts is read. Another version of the library may keep its parts elsewhere, and is not asked.
struct HeadShape {
    private static let isKnown = calotype_http_keeps_heads_in_place() != 0
    /// The length of `HTTP/1.1`.
    private static let versionBytes: UInt = 8

    /// Where the method, the target and the version begin.
    let method: UInt
    let methodBytes: Int
    let target: UInt
    let targetBytes: Int
    let version: UInt
    /// From the method to the end of the empty line.
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
