import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Takes in one source's bytes: in memory as far as the permit reaches, in a spool file from there on; looks at the
/// header as soon as it is there.
struct SourceBody {
    /// Facts are sought when this many bytes are there, and again each time their number has doubled.
    private static let firstProbe = 2048
    private static let lastProbe = ByteCount.mebibytes(1).bytes

    private let permit: Permit
    private let limits: ImageLimits
    private let codec: any ImageCoding
    private let spoolFolder: String
    private let disk: ThreadExecutor
    private var head: [UInt8] = []
    private var spool: SpoolFile?
    private var nextProbe = SourceBody.firstProbe
    /// The bytes taken in so far.
    private(set) var count = 0
    /// What the header told, once it was complete.
    private(set) var facts: ImageFacts?

    init(
        permit: Permit,
        limits: ImageLimits,
        codec: any ImageCoding,
        spoolFolder: String,
        disk: ThreadExecutor
    ) {
        self.permit = permit
        self.limits = limits
        self.codec = codec
        self.spoolFolder = spoolFolder
        self.disk = disk
    }

    /// Prepares for the announced length.
    ///
    /// - Throws: `too_many_bytes` when it is above the limit.
    mutating func expect(_ length: Int) throws(CalotypeError) {
        try limits.check(length)
        permit.shrink(to: length)
        if permit.tryGrow(to: length) {
            head.reserveCapacity(length)
        }
    }

    /// Takes in the next bytes.
    ///
    /// - Throws: `too_many_bytes`, `storage_failed`; from the header `unsupported_format`, `corrupt_image`,
    ///   `too_many_pixels`.
    mutating func append(_ chunk: [UInt8]) async throws {
        count += chunk.count
        try limits.check(count)
        if spool == nil, count <= permit.weight || permit.tryGrow(to: max(count, permit.weight * 2)) {
            head.append(contentsOf: chunk)
        } else {
            try await spool(chunk)
        }
        if facts == nil, count >= nextProbe, head.count <= Self.lastProbe {
            nextProbe = count * 2
            try probe(isComplete: false)
        }
    }

    /// Ends the intake.
    ///
    /// - Throws: what the header gives reason for; `unsupported_format` when there are no bytes at all.
    mutating func finish() throws(CalotypeError) -> LoadedSource {
        if facts == nil { try probe(isComplete: spool == nil) }
        guard let spool else {
            permit.shrink(to: count)
            return LoadedSource(input: .bytes(head), byteCount: ByteCount(count), permit: permit)
        }
        permit.release()
        return LoadedSource(input: .file(path: spool.path), byteCount: ByteCount(count), spool: spool)
    }

    /// Moves to the spool file; the head stays in memory until the header has been read.
    private mutating func spool(_ chunk: [UInt8]) async throws {
        let isFirst = spool == nil
        let file = try spool ?? SpoolFile(in: spoolFolder)
        spool = file
        let start = isFirst ? head : []
        try await disk.run {
            try file.append(start)
            try file.append(chunk)
        }
        if facts != nil { head = [] }
    }

    private mutating func probe(isComplete: Bool) throws(CalotypeError) {
        guard let facts = try codec.probe(head, isComplete: isComplete) else { return }
        self.facts = facts
        try limits.check(facts)
        if spool != nil { head = [] }
    }
}
