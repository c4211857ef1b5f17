import CalotypeFiles
import CalotypeHTTPMessages

/// The rules that make the head of a request unambiguous.
///
/// A proxy that interprets a head differently could forward requests that nobody expects (request smuggling;
/// RFC 9112, section 11.2). The listener therefore refuses an ambiguous head and closes its connection.
package struct HeadRules: Sendable {
    /// The sizes that are checked before any text is created.
    struct Sizes {
        let requestLine: Int
        let head: Int
        let fields: Int
    }

    let configuration: HTTPListenerConfiguration

    func check(_ sizes: Sizes) throws(HTTPListenerError) {
        guard sizes.requestLine <= configuration.requestLine.bytes else {
            throw HTTPListenerError(
                414,
                "the request line has more than \(configuration.requestLine.bytes) bytes"
            )
        }
        guard sizes.head <= configuration.headerBytes.bytes else {
            throw HTTPListenerError(431, "the head has more than \(configuration.headerBytes.bytes) bytes")
        }
        guard sizes.fields <= configuration.headerCount else {
            throw HTTPListenerError(431, "there are more than \(configuration.headerCount) header fields")
        }
    }

    /// Checks a head, and returns the framing of its body.
    func check(_ head: RequestHead) throws(HTTPListenerError) -> RequestHead.Framing {
        try checkLine(head.method, head.target)
        try checkFields(head.headers)
        try checkHost(head.headers, head.version)
        let framing: RequestHead.Framing
        do throws(HTTPMessageError) { framing = try head.framing() } catch {
            throw HTTPListenerError(400, error.message)
        }
        if framing != .length(0), head.method == "GET" || head.method == "HEAD" {
            throw HTTPListenerError(400, "\(head.method) requests must not have a body")
        }
        if let expectation = head.headers["Expect"], expectation.lowercased() != "100-continue" {
            throw HTTPListenerError(417, "the Expect header is not supported")
        }
        return framing
    }

    private func checkLine(_ method: String, _ target: String) throws(HTTPListenerError) {
        guard method.isToken, method.utf8.count <= 64 else {
            throw HTTPListenerError(400, "the method is not a token")
        }
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTPListenerError(400, "the target has a space or control character")
        }
    }

    private func checkFields(_ headers: HTTPHeaders) throws(HTTPListenerError) {
        for field in headers {
            guard field.name.isToken else {
                throw HTTPListenerError(400, "the name of a header field is not a token")
            }
            guard field.value.isFieldValue else {
                throw HTTPListenerError(400, "the value of a header field has a control character")
            }
        }
    }

    private func checkHost(_ headers: HTTPHeaders, _ version: HTTPVersion) throws(HTTPListenerError) {
        let hosts = headers.values(of: "Host")
        guard hosts.count <= 1, hosts.count == 1 || version == .http1_0 else {
            throw HTTPListenerError(400, "the request must have exactly one Host field")
        }
        guard hosts.allSatisfy({ !$0.utf8.contains(where: { " \t/?#@,".utf8.contains($0) }) }) else {
            throw HTTPListenerError(400, "the Host field is not a valid host")
        }
    }

    /// Refuses a body whose announced length exceeds the limit.
    func check(_ framing: RequestHead.Framing, bodyLimit: ByteCount) throws(HTTPListenerError) {
        guard case .length(let length) = framing, length > bodyLimit.bytes else { return }
        throw HTTPListenerError(413, "the body has more than \(bodyLimit.bytes) bytes")
    }
}
