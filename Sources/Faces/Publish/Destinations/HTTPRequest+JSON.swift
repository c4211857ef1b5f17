internal import CalotypeCore
package import CalotypeHTTP

extension HTTPRequest {
    /// A request that carries `value` as JSON.
    package init(
        _ url: WebURL,
        method: HTTPMethod = .post,
        json value: some Encodable
    ) throws {
        self.init(url, method: method, body: HTTPBody(try JSONLine.bytes(value)))
        try addHeader("Content-Type", "application/json")
    }
}
