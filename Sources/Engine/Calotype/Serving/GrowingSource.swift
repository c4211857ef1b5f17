package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// A source as it is, unchecked, that can be read while it comes in.
///
/// It comes into a temporary file as fast as its origin sends it, and is read from there as fast as its reader likes; who asks for
/// it meanwhile reads the same file from its beginning. The load is cancelled when the last reader lets go. Get one from
/// ``ImagePipeline/growing(_:keeping:)``.
package final class GrowingSource: Sendable {
    /// What is known when the first bytes have come.
    package struct Head: Sendable {
        /// The first bytes.
        package let beginning: [UInt8]
        /// The length; `nil` where the origin did not announce it, or compresses the body on its way.
        package let length: ByteCount?
        /// Where it comes from; `nil` if the origin has not said so yet.
        package let provenance: Provenance?
        /// Whether its validators are those of the requested URL, and not of one that a redirect led to.
        package let isDirect: Bool
        /// All of it, where it was on this machine already.
        package let bytes: [UInt8]?
    }

    /// What is read at a time.
    private static let pieceBytes = 64 << 10

    private let intake: GrowingIntake
    private let load: ScopedTask
    private let disk: any TaskExecutor

    init(_ intake: GrowingIntake, loadedBy load: ScopedTask, disk: any TaskExecutor) {
        self.intake = intake
        self.load = load
        self.disk = disk
    }

    deinit {
        load.cancel()
    }

    /// The receipt of the complete source; `nil` until it is complete.
    package var receipt: SourceReceipt? { try? intake.level.end?.get().receipt }

    /// Lets go of it: the load ends, unless others read it too.
    package func close() { load.cancel() }

    /// Waits for the first bytes, until they are enough.
    ///
    /// - Parameters:
    ///   - needsLength: Whether to wait for the last byte where the origin announced no length.
    ///   - isEnough: Told the first bytes; asked again when more have come.
    /// - Returns: What is known then.
    /// - Throws: `LoadError`; `CancellationError`.
    package func head(
        needsLength: Bool = false,
        until isEnough: (_ beginning: [UInt8]) -> Bool
    ) async throws -> Head {
        var known = 0
        while true {
            let level = try await intake.level { level in
                let hasCome = level.count > known && (!needsLength || level.expected != nil)
                return hasCome || level.end != nil
            }
            let complete = try level.end?.get()
            let beginning = try await beginning(level, complete)
            known = beginning.count
            guard complete != nil || known >= Self.pieceBytes || isEnough(beginning) else { continue }
            return Head(
                beginning: beginning,
                length: complete?.receipt.byteCount ?? level.expected,
                provenance: level.provenance,
                isDirect: level.isDirect,
                bytes: complete?.bytes
            )
        }
    }

    /// Gives all of it to `take`, piece by piece as it comes; the next one when `take` has returned.
    ///
    /// - Throws: `LoadError` where the rest does not come; `CancellationError`; what `take` throws.
    package func read(_ take: ([UInt8]) async throws -> Void) async throws {
        var done = 0
        while true {
            let level = try await intake.level { $0.count > done || $0.end != nil }
            let complete = try level.end?.get()
            if let bytes = complete?.bytes { return try await take(bytes) }
            guard let file = level.file, file.count > done else { return }
            let count = min(file.count - done, Self.pieceBytes)
            let piece = try await disk.run { [done] in try file.read(count, at: done) }
            done += count
            try await take(piece)
        }
    }

    private func beginning(
        _ level: GrowingIntake.Level,
        _ complete: GrowingIntake.Complete?
    ) async throws -> [UInt8] {
        if let bytes = complete?.bytes { return Array(bytes.prefix(Self.pieceBytes)) }
        guard let file = level.file else { return [] }
        let count = min(file.count, Self.pieceBytes)
        return try await disk.run { try file.read(count) }
    }
}

extension ImagePipeline {
    /// Begins to load the source of `request` as it is, unchecked, for one who reads it while it comes in.
    ///
    /// The time that a source may take, the request's deadline among it, is that of the load: whoever reads slowly has all the time
    /// there is. A transfer that is cut goes on where the origin tells versions apart; what else went wrong is an
    /// error for all who read.
    ///
    /// - Parameters:
    ///   - request: Names the source; scaling and format are of no meaning.
    ///   - company: Is kept until the load has ended.
    /// - Returns: The source, of which nothing has come yet.
    /// - Throws: `pipeline_closed`.
    package func growing(
        _ request: ImageRequest,
        keeping company: (any Sendable)? = nil
    ) throws -> GrowingSource {
        let intake = GrowingIntake()
        do {
            // Owner: the pipeline's scope; cancelled by the source that reads.
            let load = try scope.start(name: "growing source") {
                await self.load(request, into: intake)
                withExtendedLifetime(company) {}
            }
            return GrowingSource(intake, loadedBy: load, disk: disk)
        } catch {
            throw LoadError(Self.closedError)
        }
    }

    private func load(_ request: ImageRequest, into intake: GrowingIntake) async {
        do {
            let complete = try await perform(request) { request in
                try await self.complete(request, intake)
            }
            intake.end(.success(complete))
        } catch {
            intake.end(.failure(error))
        }
    }

    private func complete(
        _ request: ImageRequest,
        _ intake: GrowingIntake
    ) async throws -> (GrowingIntake.Complete, PipelineEvent.Origin) {
        let start = clock.now
        let key = try SourceKey(request, .growing)
        let observer = intake.observer {
            (self.judge.provenance($0, request.headers, from: .own), key.isDirect($0))
        }
        let (source, origin) = try await sources.observing(key, observer) {
            try await sources.find(key, priority: LivePriority(request))
        }
        let receipt = source.receipt.timed(clock.now - start)
        do {
            let bytes = source.spool == nil ? try await source.input.bytes(on: disk) : nil
            let complete = GrowingIntake.Complete(
                source: source,
                bytes: bytes,
                receipt: receipt,
                provenance: judge.provenance(receipt.version, request.headers, from: origin),
                isDirect: receipt.version.map(key.isDirect) ?? false
            )
            return (complete, origin)
        } catch let error as CalotypeError {
            throw receipt.failure(error)
        }
    }
}

extension SourceKey {
    /// Whether the validators of `version` are those of this source: one behind a redirect may be another the next time.
    fileprivate func isDirect(_ version: SourceVersion) -> Bool {
        guard case .web(let url) = place else { return false }
        return version.url == url.text && !version.isDetour
    }
}
