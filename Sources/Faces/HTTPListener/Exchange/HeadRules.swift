import CalotypeCore
import CalotypeHTTP

/// What a request's head has to be, so that no other reader of the same bytes can take it for something else.
///
/// A proxy in front that reads a head differently sends requests that nobody sees coming (request smuggling; RFC 9112,
/// section 11.2), so what is in doubt is refused, and its connection closed.
package struct HeadRules: Sendable {
    /// Why a head is refused: the status of the answer, and what is wrong with it.
    package struct Refusal: Error, Hashable {
        let status: Int
        let reason: String

        init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }
    }

    /// What follows a head.
    package enum Following: Hashable {
        case nothing
        /// A body of this length, or one in chunks.
        case body(length: Int?)
    }

    /// What is looked at before any text is made of it.
    struct Sizes {
        let requestLine: Int
        let head: Int
        let fields: Int
    }

    let configuration: HTTPListenerConfiguration

    func check(_ sizes: Sizes) throws(Refusal) {
        guard sizes.requestLine <= configuration.requestLine.bytes else {
            throw Refusal(414, "the request line has more than \(configuration.requestLine.bytes) bytes")
        }
        guard sizes.head <= configuration.headerBytes.bytes else {
            throw Refusal(431, "the head has more than \(configuration.headerBytes.bytes) bytes")
        }
        guard sizes.fields <= configuration.headerCount else {
            throw Refusal(431, "there are more than \(configuration.headerCount) header fields")
        }
    }

    /// Checks a head, and tells what follows it.
    func check(
        _ method: String,
        _ target: String,
        _ headers: HTTPHeaders,
        isHTTP11: Bool
    ) throws(Refusal) -> Following {
        try checkLine(method, target)
        try checkFields(headers)
        try checkHost(headers, isHTTP11)
        let following = try following(headers, isHTTP11)
        if following != .nothing, method == "GET" || method == "HEAD" {
            throw Refusal(400, "\(method) has no body")
        }
        if let expectation = headers["Expect"], expectation.lowercased() != "100-continue" {
            throw Refusal(417, "nothing is known of the expectation that was sent")
        }
        return following
    }

    private func checkLine(_ method: String, _ target: String) throws(Refusal) {
        guard method.isToken, method.utf8.count <= 64 else {
            throw Refusal(400, "the method is no token")
        }
        guard !target.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Refusal(400, "the target has a blank or control character")
        }
    }

    private func checkFields(_ headers: HTTPHeaders) throws(Refusal) {
        for field in headers {
            guard field.name.isToken else {
                throw Refusal(400, "the name of a header field is no token")
            }
            guard field.value.isFieldValue else {
                throw Refusal(400, "the value of a header field has a control character")
            }
        }
    }

    private func checkHost(_ headers: HTTPHeaders, _ isHTTP11: Bool) throws(Refusal) {
        let hosts = headers.values(of: "Host")
        guard hosts.count <= 1, hosts.count == 1 || !isHTTP11 else {
            throw Refusal(400, "there has to be one Host field")
        }
        guard hosts.allSatisfy({ !$0.utf8.contains(where: { " \t/?#@,".utf8.contains($0) }) }) else {
            throw Refusal(400, "the Host field names no host")
        }
    }

    private func following(_ headers: HTTPHeaders, _ isHTTP11: Bool) throws(Refusal) -> Following {
        let lengths = headers.values(of: "Content-Length")
        let encodings = headers.values(of: "Transfer-Encoding")
        guard encodings.isEmpty else {
            guard lengths.isEmpty, encodings.count == 1, encodings[0].lowercased() == "chunked", isHTTP11
            else {
                throw Refusal(400, "the body has no other encoding than chunked, and then no length")
            }
            return .body(length: nil)
        }
        guard let text = lengths.first else { return .nothing }
        guard lengths.count == 1, (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
        else {
            throw Refusal(400, "the length of the body is not one number")
        }
        return length == 0 ? .nothing : .body(length: length)
    }

    /// Refuses a body that says that it is longer than it may be.
    func check(_ following: Following, bodyLimit: ByteCount) throws(Refusal) {
        guard case .body(let length?) = following, length > bodyLimit.bytes else { return }
        throw Refusal(413, "the body has more than \(bodyLimit.bytes) bytes")
    }
}
