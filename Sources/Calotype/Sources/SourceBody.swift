import CalotypeCodec
import CalotypeCore
import TaskFlow

/// Takes in one source's bytes: in memory as far as the permit reaches, in a spool file from there on; looks at the
/// header as soon as it is there.
struct SourceBody {
    /// The complete bytes and what they hold.
    struct Product: Sendable {
        let input: CodecInput
        let count: Int
        var permit: Permit?
        var spool: SpoolFile?
    }

    /// Facts are sought when this many bytes are there, and again each time their number has doubled.
    private static let firstProbe = 2048
    private static let lastProbe = ByteCount.mebibytes(1).bytes

    private let permit: Permit
    private let limits: ImageLimits
    private let spoolFolder: String
    private let disk: any TaskExecutor
    /// Reads the header; `nil` where the bytes may be anything.
    private let prober: (any ImageCoding)?
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
        prober: (any ImageCoding)?,
        spoolFolder: String,
        disk: any TaskExecutor
    ) {
        self.permit = permit
        self.limits = limits
        self.prober = prober
        self.spoolFolder = spoolFolder
        self.disk = disk
    }

    /// The bytes so far, as far as they are all in memory.
    var prefix: [UInt8]? { spool == nil ? head : nil }

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
    mutating func finish() throws(CalotypeError) -> Product {
        if facts == nil { try probe(isComplete: spool == nil) }
        guard let spool else {
            permit.shrink(to: count)
            return Product(input: .bytes(head), count: count, permit: permit)
        }
        permit.release()
        return Product(input: .file(path: spool.path), count: count, spool: spool)
    }

    /// Moves to the spool file; the head stays in memory until the header has been read.
    private mutating func spool(_ chunk: [UInt8]) async throws {
        let (existing, start) = (spool, spool == nil ? head : [])
        spool = try await disk.run { [spoolFolder] in
            let file = try existing ?? SpoolFile(in: spoolFolder)
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
