internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// How a file is cut into the parts of a multipart upload.
///
/// Parts are numbered from 1; all but the last have the same size. S3 allows 10,000 parts of 5 MiB to 5 GiB.
struct PartPlan: Hashable, Sendable {
    /// A part's number and its place in the file.
    struct Part: Hashable, Sendable {
        let number: Int
        let offset: ByteCount
        let size: ByteCount
    }

    /// The smallest size of a part: large enough that requests cost little, small enough that a cut loses little.
    static let smallestPart = ByteCount.mebibytes(8)
    /// The largest size of a part that S3 takes.
    static let largestPart = ByteCount.mebibytes(5 << 10)
    /// The most parts that are planned for, with some to spare up to 10,000.
    static let mostParts = 9_000
    /// The most parts that OpenStack Swift takes, unless it is set up otherwise.
    static let mostPartsOfSwift = 1_000

    /// The size of the file.
    let size: ByteCount
    /// The size of all parts but the last.
    let partSize: ByteCount

    /// Plans for a file of `size`, with parts of `partSize` where an upload with such parts was begun before and S3 takes them.
    ///
    /// - Throws: `too_many_bytes` for a file that has no such parts.
    init(
        size: ByteCount,
        partSize: ByteCount? = nil,
        mostParts: Int = PartPlan.mostParts
    ) throws(CalotypeError) {
        let largest = Self.largestFile(mostParts)
        guard size <= largest else {
            throw CalotypeError(
                .tooManyBytes,
                "a file of \(size) is too large for S3, which takes \(largest) at most",
                stage: .request
            )
        }
        self.size = size
        let given = partSize.flatMap { Self.isUsable($0, for: size) ? $0 : nil }
        self.partSize = given ?? Self.partSize(for: size, mostParts)
    }

    /// The most parts that the server takes that answered with these fields.
    static func mostParts(_ headers: HTTPHeaders) -> Int {
        headers["X-Openstack-Request-Id"] == nil ? mostParts : mostPartsOfSwift
    }

    /// The largest file that so many parts make.
    static func largestFile(_ mostParts: Int = PartPlan.mostParts) -> ByteCount {
        ByteCount(largestPart.bytes * mostParts)
    }

    /// The number of parts, at least one.
    var count: Int {
        max((size.bytes + partSize.bytes - 1) / partSize.bytes, 1)
    }

    /// All parts in order.
    var parts: [Part] { (1...count).map(part) }

    /// The part of that number, from 1 to ``count``.
    func part(_ number: Int) -> Part {
        let offset = (number - 1) * partSize.bytes
        return Part(
            number: number,
            offset: ByteCount(offset),
            size: ByteCount(min(partSize.bytes, size.bytes - offset))
        )
    }

    private static func isUsable(_ partSize: ByteCount, for size: ByteCount) -> Bool {
        (.mebibytes(5)...largestPart).contains(partSize) && size.bytes / partSize.bytes < 10_000
    }

    /// A whole number of mebibytes, of which `mostParts` are enough.
    private static func partSize(for size: ByteCount, _ mostParts: Int) -> ByteCount {
        let least = (size.bytes + mostParts - 1) / mostParts
        let mebibyte = ByteCount.mebibytes(1).bytes
        return max(smallestPart, ByteCount((least + mebibyte - 1) / mebibyte * mebibyte))
    }
}

/// The bytes that left of all parts together, while several are sent at a time.
final class PartProgress: Sendable {
    private struct State {
        var finished: Int
        /// The bytes that left of the parts under way, by number.
        var open: [Int: Int] = [:]

        var sum: Int { open.values.reduce(finished, +) }
    }

    private let whole: SendProgress
    private let state: Guarded<State>

    /// Tells `whole`, beginning with the bytes that were there before.
    init(_ whole: SendProgress, finished: ByteCount) {
        self.whole = whole
        state = Guarded(State(finished: finished.bytes))
    }

    /// What the request of a part is given.
    func part(_ number: Int) -> SendProgress {
        SendProgress { sent in
            self.tell { $0.open[number] = sent.bytes }
        }
    }

    /// Takes notice that a part is over: it is there, or it is to be sent again.
    func end(_ part: PartPlan.Part, isThere: Bool) {
        tell { state in
            state.open[part.number] = nil
            if isThere { state.finished += part.size.bytes }
        }
    }

    private func tell(_ change: (inout State) -> Void) {
        let sum = state.withLock { state in
            change(&state)
            return state.sum
        }
        whole.report(ByteCount(sum))
    }
}
