/// The numbers and names of shards and samples, as img2dataset has them.
struct ShardPlan: Hashable, Sendable {
    /// The number of samples of each shard but the last.
    let samplesPerShard: Int
    /// The minimum number of digits of a shard's number.
    let shardDigits: Int
    /// The number of the first shard.
    let firstShard: Int
    /// The number of samples of all shards; `nil` if it is not known.
    let total: Int?

    init(samplesPerShard: Int, shardDigits: Int, firstShard: Int = 0, total: Int? = nil) {
        self.total = total
        self.samplesPerShard = max(samplesPerShard, 1)
        self.shardDigits = shardDigits
        self.firstShard = firstShard
    }

    /// Returns the number of the shard with the sample at `index` of the list.
    func shard(of index: Int) -> Int { firstShard + index / samplesPerShard }

    /// Returns the indices of the samples of a full shard.
    func indices(of shard: Int) -> Range<Int> {
        let first = (shard - firstShard) * samplesPerShard
        return first..<first + samplesPerShard
    }

    /// Returns how many of the first `count` samples are in the shards of `slice`.
    func count(of count: Int, in slice: DatasetOptions.Slice) -> Int {
        let full = count / samplesPerShard
        // Those from the first shard on, and that of a shard that is not full.
        let skipped = (slice.index - firstShard % slice.count + slice.count) % slice.count
        let shards = max(0, full - skipped + slice.count - 1) / slice.count
        let hasLast = (firstShard + full) % slice.count == slice.index
        return shards * samplesPerShard + (hasLast ? count % samplesPerShard : 0)
    }

    /// Returns the name of a shard: `00003`.
    func name(of shard: Int) -> String { Self.padded(shard, shardDigits) }

    /// Returns the number of samples of a shard, which is that of a full one if the total is not known.
    func count(of shard: Int) -> Int { indices(of: shard).clamped(to: 0..<(total ?? .max)).count }

    /// Returns the key of the sample at `index` of the list: `000030005` for the sample 5 of shard 3.
    func key(of index: Int) -> String {
        let (digits, factor) = sampleSpace
        return Self.padded(shard(of: index) * factor + index % samplesPerShard, digits + shardDigits)
    }

    /// The digits of a sample's number in its shard, and the power of ten that has one digit more.
    private var sampleSpace: (digits: Int, factor: Int) {
        var (digits, factor) = (0, 1)
        while factor < samplesPerShard { (digits, factor) = (digits + 1, factor * 10) }
        return (digits, factor)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
