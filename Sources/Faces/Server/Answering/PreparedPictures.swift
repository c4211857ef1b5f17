import Calotype
import CalotypeCore
import CalotypeHTTP
package import CalotypeHTTPListener
import CalotypeStore
import Synchronization
import TaskFlow

/// The responses with pictures in memory that later requests for the same path can receive unchanged.
///
/// It holds a second copy of each picture, at a fixed address, so that nothing is copied for a request.
final class PreparedPictures: Sendable {
    /// What the responses need.
    struct Parts: Sendable {
        let pipeline: ImagePipeline
        let names: RequestNames
        let metrics: ServerMetrics
        let log: AccessLog?
        let wallClock: @Sendable () -> WallTime
    }

    private static let mostEntries = 4_096
    /// If there is no room, one in so many candidates replaces the least recently used response.
    ///
    /// Otherwise clients that request more pictures than fit, one after another, would have each one prepared
    /// and never sent.
    private static let admitted = 8

    private let parts: Parts
    /// The responses by the hash of their targets.
    private let responses: MemoryCache<Int, PreparedResponse>
    private let candidates = Atomic(0)

    /// Creates an empty table that takes up to a quarter of `memory`, the limits for pictures in memory.
    init(_ parts: Parts, memory: MemoryCacheLimits) {
        self.parts = parts
        let bytes = ByteCount(max(memory.bytes.bytes, 0) / 4)
        responses = MemoryCache(
            limits: MemoryCacheLimits(bytes: bytes, count: min(memory.count, Self.mostEntries)),
            cost: { ByteCount($0.bodyBytes + PreparedResponse.overheadBytes) }
        )
    }

    /// The number and the size of the responses.
    var contents: MemoryCacheSnapshot { responses.snapshot }

    /// Returns the response for a target.
    func response(for target: UnsafeRawBufferPointer) -> PreparedResponse? {
        guard let response = responses.valueAgain(for: unsafe Self.hash(target)),
            unsafe response.answers(target)
        else { return nil }
        return response
    }

    /// Stores a response for its target.
    ///
    /// - Parameters:
    ///   - response: A response with the picture `kept`.
    ///   - record: The facts about the response.
    ///   - kept: The picture.
    ///   - target: The target.
    ///   - name: The value of the `Server` field.
    func prepare(
        _ response: OutgoingResponse,
        _ record: AnswerRecord,
        _ kept: KeptPicture,
        for target: String,
        from name: String
    ) {
        var text = target
        let key = text.withUTF8 { unsafe Self.hash(UnsafeRawBufferPointer($0)) }
        let old = responses.valueAgain(for: key)
        if let old, old.target == target, (old.content as? PreparedPicture)?.kept == kept { return }
        guard old != nil || admitsAnother() else { return }
        guard case .bytes(let bytes) = response.body else { return }
        let line = parts.log == nil ? nil : PreparedLine(record, target: target, bytes: bytes.count)
        let content = PreparedPicture(kept, record, target, line, parts) { [weak self] in
            self?.responses.removeValue(for: key)
        }
        guard
            let response = PreparedResponse(
                response,
                target: target,
                from: name,
                idName: "X-Request-ID",
                content
            )
        else { return }
        responses.replaceValue(response, for: key)
    }

    private func admitsAnother() -> Bool {
        let (contents, limits) = (responses.snapshot, responses.limits)
        let isFull = contents.count >= limits.count || contents.bytes.bytes >= limits.bytes.bytes / 10 * 9
        return !isFull || candidates.wrappingAdd(1, ordering: .relaxed).newValue % Self.admitted == 0
    }

    /// The hash differs from process to process, so that nobody can choose targets with the same one.
    private static func hash(_ target: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: target)
        return hasher.finalize()
    }
}

/// A picture in memory that a prepared response contains.
private final class PreparedPicture: PreparedContent {
    let kept: KeptPicture
    private let record: AnswerRecord
    private let target: String
    /// The log line of a complete use.
    private let line: PreparedLine?
    private let parts: PreparedPictures.Parts
    private let remove: @Sendable () -> Void

    init(
        _ kept: KeptPicture,
        _ record: AnswerRecord,
        _ target: String,
        _ line: PreparedLine?,
        _ parts: PreparedPictures.Parts,
        remove: @escaping @Sendable () -> Void
    ) {
        self.kept = kept
        self.record = record
        self.target = target
        self.line = line
        self.parts = parts
        self.remove = remove
    }

    func begin() -> UInt64? {
        guard parts.pipeline.servesAgain(kept) else {
            remove()
            return nil
        }
        return parts.names.next()
    }

    func ended(_ use: PreparedUse) {
        guard use.isComplete, parts.log == nil || line != nil else { return add(use) }
        let duration = ContinuousClock.now - use.arrival
        parts.metrics.addPrepared(duration, sentBytes: use.sentBytes)
        guard let log = parts.log, let line else { return }
        let moment = parts.wallClock()
        log.add(
            .prepared(
                PreparedEntry(line: line, moment: moment, id: use.id, client: use.client, duration: duration)
            )
        )
    }

    private func add(_ use: PreparedUse) {
        var record = record
        record.id = RequestNames.text(use.id)
        let entry = AccessEntry(use, target: target, record, at: parts.wallClock())
        parts.metrics.add(entry)
        parts.log?.add(entry)
    }
}

extension ThumbnailServer: PreparedResponding {
    /// Stores the response if it is a picture from memory that does not depend on the time or on other fields.
    package func prepare(_ response: OutgoingResponse, to request: IncomingRequest, from name: String) {
        guard let record = response.note as? AnswerRecord, let kept = record.kept else { return }
        prepared.prepare(response, record, kept, for: request.target, from: name)
    }

    /// Returns the response that is stored for the target.
    package func prepared(for target: UnsafeRawBufferPointer) -> PreparedResponse? {
        unsafe prepared.response(for: target)
    }

    /// Whether each request for the plan's path gets the same response as long as the picture stays in memory.
    func isSameForAll(_ plan: AnswerPlan) -> Bool {
        plan.isPlain && plan.varying.isEmpty && plan.thumbnail.expires == nil && configuration.secret == nil
            && !configuration.heedsClientHints && !configuration.answers.passesCacheControl
    }
}
