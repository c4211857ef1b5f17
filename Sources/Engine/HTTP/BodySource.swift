/// What the bytes of an answer's body come from: libcurl, or a script in a test.
package protocol BodySource: Sendable {
    /// Waits for the next piece, not empty and of at most 16 KiB; `nil` at the end of a complete body.
    ///
    /// - Throws: What ``BodyStream`` says, the same at each further call; `CancellationError` once the exchange is over.
    func next() async throws -> [UInt8]?

    /// How long each part took up to now.
    var timings: HTTPTimings { get }

    /// The bytes that came and have not been read.
    var bufferedBytes: Int { get }
}
