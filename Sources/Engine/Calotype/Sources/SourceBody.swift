import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import Synchronization
import TaskFlow

/// Receives the bodies of all downloads, and counts their bytes.
final class SourceIntake: Sendable {
    /// The space that a growing file of unknown length starts with.
    private static let firstRoom = ByteCount.mebibytes(1).bytes

    private let prober: any ImageCoding
    private let disk: any TaskExecutor
    private let threshold: ByteCount
    private let spoolFolder: String
    /// Limits the bytes of files that are read while they grow.
    private let growing: AdmissionGate
    private let received = Atomic(0)

    init(_ prober: any ImageCoding, disk: any TaskExecutor, _ configuration: PipelineConfiguration) {
        self.prober = prober
        self.disk = disk
        threshold = configuration.spoolThreshold
        spoolFolder = SpoolFile.defaultFolder
        growing = AdmissionGate(capacity: max(configuration.growingBytes.bytes, 1))
    }

    /// The number of body bytes received so far.
    var receivedBytes: ByteCount { ByteCount(received.load(ordering: .relaxed)) }

    /// Counts received bytes.
    func count(_ bytes: Int) { received.add(bytes, ordering: .relaxed) }

    /// Creates the intake of a body with `length` more bytes, if that is known.
    ///
    /// - Throws: `too_many_bytes`; `too_many_requests` if other growing files take all the space.
    func body(
        _ content: SourceKey.Content,
        _ limits: ImageLimits,
        permit: Permit?,
        _ length: ByteCount?
    ) throws(CalotypeError) -> SourceBody {
        let grows = content == .growing
        var room: Permit?
        if grows {
            if let length { try limits.check(length.bytes) }
            room = growing.tryAcquire(weight: length?.bytes ?? Self.firstRoom)
            if room == nil { throw SpoolFile.noRoom }
        }
        return SourceBody(
            permit: permit,
            limits: limits,
            threshold: grows ? ByteCount(0) : threshold,
            prober: content == .picture ? prober : nil,
            spoolFolder: spoolFolder,
            disk: disk,
            room: room
        )
    }
}

/// Receives one source's bytes, and reads the header as soon as it has arrived.
///
/// Bytes stay in memory as far as the permit allows; the rest, without a permit all of them, goes to a spool file.
struct SourceBody {
    /// The complete bytes and their facts.
    struct Product: Sendable {
        let input: CodecInput
        let count: Int
        var permit: Permit?
        var spool: SpoolFile?
    }

    /// The number of bytes at the first probe for facts.
    ///
    /// Each later probe waits until the number has doubled.
    private static let firstProbe = 2048
    private static let lastProbe = ByteCount.mebibytes(1).bytes

    private let permit: Permit?
    private let limits: ImageLimits
    /// Longer bodies are never in memory as a whole.
    private let threshold: ByteCount
    private let spoolFolder: String
    private let disk: any TaskExecutor
    /// The disk space that the spool file may take; `nil` if it is not counted.
    private let room: Permit?
    /// Reads the header; `nil` if the bytes may be anything.
    private let prober: (any ImageCoding)?
    private var head: [UInt8] = []
    /// The file with the bytes that are not in memory.
    private(set) var spool: SpoolFile?
    private var nextProbe = SourceBody.firstProbe
    /// The number of bytes received so far.
    private(set) var count = 0
    /// The facts in the header, once it was complete.
    private(set) var facts: ImageFacts?

    init(
        permit: Permit?,
        limits: ImageLimits,
        threshold: ByteCount = PipelineConfiguration().spoolThreshold,
        prober: (any ImageCoding)?,
        spoolFolder: String,
        disk: any TaskExecutor,
        room: Permit? = nil
    ) {
        self.permit = permit
        self.limits = limits
        self.threshold = threshold
        self.prober = prober
        self.spoolFolder = spoolFolder
        self.disk = disk
        self.room = room
    }

    /// The bytes so far, if they are all in memory.
    var prefix: [UInt8]? { spool == nil ? head : nil }

    /// Prepares for the announced length, if there is one.
    ///
    /// - Throws: `too_many_bytes` if it is above the limit.
    mutating func expect(_ length: ByteCount?) throws(CalotypeError) {
        guard let length = length?.bytes else { return }
        try limits.check(length)
        permit?.shrink(to: length)
        if let permit, length <= threshold.bytes, permit.tryGrow(to: length) {
            head.reserveCapacity(length)
        }
    }

    /// Receives the next bytes.
    ///
    /// - Throws: `too_many_bytes`, `storage_failed`, `too_many_requests`; for the header
    ///   `unsupported_format`, `corrupt_image`, `too_many_pixels`, `filtered_size`.
    mutating func append(_ chunk: [UInt8]) async throws {
        count += chunk.count
        try limits.check(count)
        if spool == nil, hasRoom(for: count) {
            head.append(contentsOf: chunk)
        } else {
            try await spool(chunk)
        }
        if facts == nil, count >= nextProbe, head.count <= Self.lastProbe {
            nextProbe = count * 2
            try probe(isComplete: false)
        }
    }

    /// Throws `truncated_body` unless exactly `total` bytes have arrived.
    func check(total: ByteCount) throws(CalotypeError) {
        guard count != total.bytes else { return }
        throw CalotypeError(
            .truncatedBody,
            "the body ended at \(count) of \(total.bytes) bytes",
            stage: .body
        )
    }

    /// Ends the intake.
    ///
    /// - Throws: the errors for the header; `unsupported_format` if there are no bytes.
    mutating func finish() throws(CalotypeError) -> Product {
        if facts == nil { try probe(isComplete: spool == nil) }
        guard let spool else {
            permit?.shrink(to: count)
            return Product(input: .bytes(head), count: count, permit: permit)
        }
        permit?.release()
        spool.fit()
        return Product(input: .file(path: spool.path), count: count, spool: spool)
    }

    private func hasRoom(for count: Int) -> Bool {
        guard let permit, count <= threshold.bytes else { return false }
        return count <= permit.weight
            || permit.tryGrow(to: min(max(count, permit.weight * 2), threshold.bytes))
    }

    /// Continues after the `length` bytes of `file`, in memory if all `total` bytes fit there.
    ///
    /// - Throws: `storage_failed`; what ``expect(_:)`` and ``append(_:)`` throw.
    mutating func resume(_ file: SpoolFile, _ length: Int, of total: ByteCount) async throws {
        try expect(total)
        let fits = hasRoom(for: total.bytes)
        head = try await disk.run { try file.read(fits ? length : min(length, Self.lastProbe)) }
        spool = fits ? nil : file
        count = length
        nextProbe = max(nextProbe, count * 2)
        if count >= Self.firstProbe { try probe(isComplete: false) }
        if prober == nil, spool != nil { head = [] }
    }

    /// Moves all bytes to the spool file and releases the memory.
    ///
    /// A load that waits for another attempt must not hold memory that loads with permits need.
    ///
    /// - Throws: `storage_failed`.
    mutating func park() async throws -> SpoolFile {
        if spool == nil { try await spool([]) }
        head = []
        permit?.release()
        guard let spool else { preconditionFailure("bytes without a file") }
        return spool
    }

    /// Moves bytes to the spool file.
    ///
    /// The head stays in memory until the header has been read.
    private mutating func spool(_ chunk: [UInt8]) async throws {
        let (existing, start) = (spool, spool == nil ? head : [])
        spool = try await disk.run { [spoolFolder, room] in
            let file = try existing ?? SpoolFile(in: spoolFolder, room: room)
            try file.makeRoom(for: start.count + chunk.count)
            try file.append(start)
            try file.append(chunk)
            return file
        }
        if facts != nil || prober == nil { head = [] }
    }

    private mutating func probe(isComplete: Bool) throws(CalotypeError) {
        guard let facts = try prober?.probe(head, isComplete: isComplete) else { return }
        self.facts = facts
        try limits.check(facts)
        if spool != nil { head = [] }
    }
}
