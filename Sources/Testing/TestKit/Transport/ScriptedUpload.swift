import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// The body of one request, as a scripted origin takes it: block by block, on the sending task.
final class ScriptedUpload: Sendable {
    private struct State {
        var position = BodyReader.Position()
        /// The bytes that were read from the files and not taken yet.
        var rest: [UInt8] = []
        var taken = 0
        /// The first bytes taken.
        var beginning: [UInt8] = []
    }

    private let reader: BodyReader
    private let request: HTTPRequest
    private let keptBytes: ByteCount
    private let ledger: ExchangeLedger
    private let state = Guarded(State())

    /// Opens the files of the request's body.
    ///
    /// - Throws: What the real transport throws before it sends anything.
    init(_ request: HTTPRequest, keeping keptBytes: ByteCount, ledger: ExchangeLedger) throws(CalotypeError) {
        try request.checkBody()
        reader = try BodyReader(request.body)
        self.request = request
        self.keptBytes = keptBytes
        self.ledger = ledger
    }

    /// The taken bytes that are kept.
    var received: [UInt8] {
        state.withLock { Array($0.beginning.prefix(keptBytes.bytes)) }
    }

    /// The first `limit` bytes of the body, taken now or before.
    func beginning(_ limit: ByteCount) async throws -> [UInt8] {
        let missing = limit.bytes - state.withLock { $0.taken }
        try await take(max(missing, 0), keeping: limit.bytes)
        return state.withLock { Array($0.beginning.prefix(limit.bytes)) }
    }

    /// Takes `count` more bytes, or all that is left.
    func take(_ count: Int = .max) async throws {
        try await take(count, keeping: keptBytes.bytes)
    }

    private func take(_ count: Int, keeping limit: Int) async throws {
        var left = count
        while left > 0 {
            try Task.checkCancellation()
            let (part, total) = try takeBlock(atMost: left, keeping: max(limit, keptBytes.bytes))
            guard part > 0 else { return }
            left -= part
            ledger.count(sent: part)
            request.progress?.report(ByteCount(total))
            await Task.yield()
        }
    }

    /// Takes a block, and returns its size and the total taken so far.
    private func takeBlock(atMost count: Int, keeping limit: Int) throws(CalotypeError) -> (Int, Int) {
        try state.withLock { state throws(CalotypeError) in
            if state.rest.isEmpty { state.rest = try reader.read(at: &state.position) ?? [] }
            let part = state.rest.prefix(count)
            state.taken += part.count
            state.beginning += part.prefix(max(limit - state.beginning.count, 0))
            defer { state.rest.removeFirst(part.count) }
            return (part.count, state.taken)
        }
    }
}
