internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// How a file is divided into the parts of a multipart upload.
///
/// Parts are numbered from 1; all but the last have the same size. S3 allows 10,000 parts of 5 MiB to 5 GiB.
struct PartPlan: Hashable, Sendable {
    /// A part's number and its range in the file.
    struct Part: Hashable, Sendable {
        let number: Int
        let offset: ByteCount
        let size: ByteCount
    }

    /// The minimum size of a part.
    ///
    /// It is large enough to keep the cost of requests low, and small enough that an interruption loses
    /// little.
    static let smallestPart = ByteCount.mebibytes(8)
    /// The maximum size of a part that S3 accepts.
    static let largestPart = ByteCount.mebibytes(5 << 10)
    /// The maximum number of parts in a plan, with a margin below the limit of 10,000.
    static let mostParts = 9_000
    /// The default limit of OpenStack Swift for the number of parts.
    static let mostPartsOfSwift = 1_000

    /// The size of the file.
    let size: ByteCount
    /// The size of each part but the last.
    let partSize: ByteCount

    /// Plans the parts of a file of `size`.
    ///
    /// If an earlier attempt began an upload with parts of `partSize`, and S3 accepts them, the plan uses
    /// that size.
    ///
    /// - Throws: `too_many_bytes` if the file is too large for any plan.
    init(
        size: ByteCount,
        partSize: ByteCount? = nil,
        mostParts: Int = PartPlan.mostParts
    ) throws(CalotypeError) {
        let largest = Self.largestFile(mostParts)
        guard size <= largest else {
            throw CalotypeError(
                .tooManyBytes,
                "a file of \(size) is too large for S3; the limit is \(largest)",
                stage: .request
            )
        }
        self.size = size
        let given = partSize.flatMap { Self.isUsable($0, for: size) ? $0 : nil }
        self.partSize = given ?? Self.partSize(for: size, mostParts)
    }

    /// Returns the maximum number of parts for a server that sent these headers.
    static func mostParts(_ headers: HTTPHeaders) -> Int {
        headers["X-Openstack-Request-Id"] == nil ? mostParts : mostPartsOfSwift
    }

    /// Returns the maximum size of a file with this number of parts.
    static func largestFile(_ mostParts: Int = PartPlan.mostParts) -> ByteCount {
        ByteCount(largestPart.bytes * mostParts)
    }

    /// The number of parts, at least one.
    var count: Int {
        max((size.bytes + partSize.bytes - 1) / partSize.bytes, 1)
    }

    /// All parts, in order.
    var parts: [Part] { (1...count).map(part) }

    /// Returns the part with that number, from 1 to ``count``.
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

    /// Returns a part size in whole mebibytes that needs at most `mostParts` parts.
    private static func partSize(for size: ByteCount, _ mostParts: Int) -> ByteCount {
        let least = (size.bytes + mostParts - 1) / mostParts
        let mebibyte = ByteCount.mebibytes(1).bytes
        return max(smallestPart, ByteCount((least + mebibyte - 1) / mebibyte * mebibyte))
    }
}

/// Adds up the bytes sent of several concurrent parts.
final class PartProgress: Sendable {
    private struct State {
        var finished: Int
        /// The number of bytes sent of each part in progress, by part number.
        var open: [Int: Int] = [:]

        var sum: Int { open.values.reduce(finished, +) }
    }

    private let whole: SendProgress
    private let state: Guarded<State>

    /// Reports to `whole`, starting with the bytes that the server already had.
    init(_ whole: SendProgress, finished: ByteCount) {
        self.whole = whole
        state = Guarded(State(finished: finished.bytes))
    }

    /// Returns the progress counter for the request of a part.
    func part(_ number: Int) -> SendProgress {
        SendProgress { sent in
            self.tell { $0.open[number] = sent.bytes }
        }
    }

    /// Records that a part has ended: the server has it, or it must be sent again.
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
