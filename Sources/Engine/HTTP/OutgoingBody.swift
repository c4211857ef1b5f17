import CalotypeCore

/// A request's body as libcurl takes it; it never leaves its loop's thread.
struct OutgoingBody {
    let length: Int
    /// The bytes that libcurl has taken.
    private(set) var taken = 0
    /// The bytes that libcurl has handed to the network.
    private(set) var sent = 0
    /// The block that is being taken, as far as it goes.
    private var block: [UInt8] = []
    private var position = 0

    init(length: Int = 0) {
        self.length = length
    }

    /// Fills `space` and tells with how many bytes, zero at the end; `nil` where the next block has not come.
    ///
    /// - Throws: Why the rest cannot be read.
    mutating func fill(
        _ space: UnsafeMutableRawBufferPointer,
        from transfer: Transfer
    ) throws(CalotypeError) -> Int? {
        guard taken < length else { return 0 }
        if block.isEmpty {
            guard let next = try transfer.takeBlock() else { return nil }
            (block, position) = (next, 0)
        }
        let count = min(block.count - position, space.count)
        unsafe block.withUnsafeBytes { bytes in
            unsafe space.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
            )
        }
        taken += count
        position += count
        if position == block.count { block = [] }
        return count
    }

    /// Takes notice of how much has been sent in all; how much of that is new.
    mutating func sent(upTo total: Int) -> Int {
        let news = max(total - sent, 0)
        sent += news
        return news
    }
}
