package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// A source, unchecked, that can be read while it arrives.
///
/// It arrives in a temporary file as fast as its origin sends it, and is read from there as fast as its
/// reader wants. All readers share this file, and each reads it from its beginning. The load is cancelled
/// when the last reader releases it. Get one from ``ImagePipeline/growing(_:keeping:)``.
package final class GrowingSource: Sendable {
    /// What is known when the first bytes have arrived.
    package struct Head: Sendable {
        /// The first bytes.
        package let beginning: [UInt8]
        /// The length; `nil` if the origin did not announce it or compresses the body.
        package let length: ByteCount?
        /// Where it comes from; `nil` if the origin has not said so yet.
        package let provenance: Provenance?
        /// Whether its validators are those of the requested URL, and not of one that a redirect led to.
        package let isDirect: Bool
        /// All of it, if it was on this machine already.
        package let bytes: [UInt8]?
    }

    /// The number of bytes to read at a time.
    private static let pieceBytes = 64 << 10

    private let intake: GrowingIntake
    private let load: ScopedTask
    private let disk: any TaskExecutor
    /// The file that the reader has begun to read.
    private let basis = Guarded<Basis?>(nil)

    /// A file whose beginning was read.
    private struct Basis {
        /// The number of files that it had replaced.
        let replacements: Int
        /// The version in it, if the origin named one.
        let version: SourceVersion?

        init(_ level: GrowingIntake.Level) {
            (replacements, version) = (level.replacements, level.provenance?.version)
        }

        /// Whether the file at `level` has the same bytes.
        func isContinued(at level: GrowingIntake.Level) -> Bool {
            if replacements == level.replacements { return true }
            guard let version, let other = level.provenance?.version, other.hasBytes(of: version) else {
                return false
            }
            // Equal weak tags promise the same picture, but not the same bytes.
            return other.response.validators.entityTag?.isStrong ?? true
        }
    }

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

    /// Releases the source; the load is cancelled unless it has other readers.
    package func close() { load.cancel() }

    /// Waits for the first bytes.
    ///
    /// - Parameters:
    ///   - needsLength: Whether to wait for the last byte if the origin announced no length.
    ///   - isEnough: Whether these first bytes are enough; called again when more have arrived.
    /// - Returns: What is known then.
    /// - Throws: `CalotypeError`; `CancellationError`.
    package func head(
        needsLength: Bool = false,
        until isEnough: (_ beginning: [UInt8]) -> Bool
    ) async throws -> Head {
        var known = 0
        while true {
            let seen = basis.withLock { $0?.replacements }
            let level = try await intake.level { level in
                let hasCome =
                    level.count > (level.replacements == seen ? known : 0)
                    && (!needsLength || level.expected != nil)
                return hasCome || level.end != nil
            }
            let complete = try level.end?.get()
            let beginning = try await beginning(level, complete)
            known = beginning.count
            basis.withLock { $0 = Basis(level) }
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

    /// Passes the source to `take` in pieces as it arrives, the next one when `take` has returned.
    ///
    /// - Throws: `CalotypeError` if the load fails; `CancellationError`; what `take` throws.
    package func read(_ take: ([UInt8]) async throws -> Void) async throws {
        var done = 0
        while true {
            let level = try await intake.level { $0.count > done || $0.end != nil }
            let complete = try level.end?.get()
            try check(level)
            if let bytes = complete?.bytes { return try await take(bytes) }
            guard let file = level.file, file.count > done else { return }
            let count = min(file.count - done, Self.pieceBytes)
            let piece = try await disk.run { [done] in try file.read(count, at: done) }
            done += count
            try await take(piece)
        }
    }

    /// Throws `truncated_body` if the file in `level` may have other bytes than the one that was read before.
    ///
    /// The file is replaced if the load is cancelled at the moment when this reader joins it.
    private func check(_ level: GrowingIntake.Level) throws(CalotypeError) {
        let isContinued = basis.withLock { basis in
            guard basis?.isContinued(at: level) ?? true else { return false }
            basis = Basis(level)
            return true
        }
        guard isContinued else {
            throw CalotypeError(
                .truncatedBody,
                "the load was cancelled, and another one began from the beginning",
                stage: .body
            )
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
    /// Starts loading the source of `request`, unchecked, for a caller that reads it while it arrives.
    ///
    /// The time limits of a source and the request's deadline apply to the load; readers may take as long as
    /// they want. An interrupted transfer is resumed if the origin identifies versions; other errors are
    /// thrown to all readers.
    ///
    /// - Parameters:
    ///   - request: Names the source; the request's scaling and format are ignored.
    ///   - company: A value to hold until the load has ended.
    /// - Returns: The source, before its first byte.
    /// - Throws: `pipeline_closed`.
    package func growing(
        _ request: ImageRequest,
        keeping company: (any Sendable)? = nil
    ) throws -> GrowingSource {
        let intake = GrowingIntake()
        do {
            // Owner: the pipeline's scope; the source cancels it.
            let load = try scope.start(name: "growing source") {
                await self.load(request, into: intake)
                withExtendedLifetime(company) {}
            }
            return GrowingSource(intake, loadedBy: load, disk: disk)
        } catch {
            throw Self.closedError.ofLoad
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
    ) async throws -> (GrowingIntake.Complete, LoadResult) {
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
            return (complete, LoadResult(origin, receipt))
        } catch let error as CalotypeError {
            throw receipt.failure(error)
        }
    }
}

extension SourceKey {
    /// Whether the validators of `version` belong to this URL: a redirect may lead elsewhere the next time.
    fileprivate func isDirect(_ version: SourceVersion) -> Bool {
        guard case .web(let url) = place else { return false }
        return version.url == url.text && !version.isDetour
    }
}
