import CalotypeCore
import TaskFlow

/// The body of a response that does not come from libcurl: a closure returns its pieces.
final class SuppliedBody: BodySource {
    private struct State {
        /// What the closure has returned and the reader has not yet received.
        var rest: ArraySlice<UInt8> = []
        /// The number of bytes that the closure has returned.
        var count = 0
        /// The result of all further calls.
        var end: Result<[UInt8]?, any Error>?
        var timings = HTTPTimings()
    }

    private static let largestPiece = 16 << 10

    private let url: WebURL
    private let length: Int?
    private let supply: @Sendable () async throws -> [UInt8]?
    private let state = Guarded(State())

    init(url: WebURL, length: Int?, _ supply: @escaping @Sendable () async throws -> [UInt8]?) {
        self.url = url
        self.length = length
        self.supply = supply
    }

    var timings: HTTPTimings { state.withLock(\.timings) }
    var bufferedBytes: Int { state.withLock(\.rest.count) }

    func next() async throws -> [UInt8]? {
        while true {
            try Task.checkCancellation()
            if let piece = try state.withLock({ try Self.take(&$0) }) { return piece }
            if state.withLock({ $0.end != nil }) { return nil }
            await fill()
        }
    }

    /// Takes the next piece of what has arrived; `nil` if there is none.
    private static func take(_ state: inout State) throws -> [UInt8]? {
        guard state.rest.isEmpty else {
            let piece = state.rest.prefix(largestPiece)
            state.rest = state.rest.dropFirst(largestPiece)
            return Array(piece)
        }
        return try state.end?.get()
    }

    private func fill() async {
        let start = ContinuousClock.now
        let result: Result<[UInt8]?, any Error>
        do { result = .success(try await supply()) } catch { result = .failure(error) }
        state.withLock { state in
            state.timings.body += ContinuousClock.now - start
            guard case .success(let piece?) = result else {
                state.end = result.flatMap { _ in ending(state.count) }
                return
            }
            state.count += piece.count
            if let length, state.count > length {
                state.end = .failure(failure(.protocolError, "the body is longer than \(length) bytes"))
            } else {
                state.rest = piece[...]
            }
        }
    }

    /// The result of a body that ends after `count` bytes.
    private func ending(_ count: Int) -> Result<[UInt8]?, any Error> {
        guard let length, count < length else { return .success(nil) }
        return .failure(failure(.truncatedBody, "the body ended after \(count) of \(length) bytes"))
    }

    private func failure(_ code: ErrorCode, _ message: String) -> CalotypeError {
        CalotypeError(code, message, stage: .body, url: url.text)
    }
}
