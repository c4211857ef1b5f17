/// The posts that were sent to `/posts`.
struct PostBox: Sendable {
    struct Entry: Sendable {
        let number: Int
        let key: String?
        let body: JSONValue
        let at: Double
        var sends = 1
        var isDeleted = false
    }

    private static let largestCount = 10_000
    private static let largestBytes = 16 << 20

    private(set) var entries: [Entry] = []
    private var numbers: [String: Int] = [:]
    private var bytes = 0

    /// The number of the post made of `body`, which had `count` bytes: that of the earlier one with the same key, unless keys are ignored.
    ///
    /// - Throws: 422 where the key came with another body, 507 where there is no room.
    mutating func take(
        _ body: JSONValue,
        of count: Int,
        key: String?,
        ignoringKeys: Bool,
        at now: Double
    ) throws(Refusal) -> Int {
        if !ignoringKeys, let key, let number = numbers[key] {
            guard entries[number - 1].body == body else {
                throw .receiving(422, "This Idempotency-Key was used for another post.")
            }
            entries[number - 1].sends += 1
            return number
        }
        guard entries.count < Self.largestCount, bytes + count <= Self.largestBytes else {
            throw .receiving(507, "There is no room for more posts.")
        }
        let number = entries.count + 1
        entries.append(Entry(number: number, key: key, body: body, at: now))
        bytes += count
        if let key, numbers[key] == nil { numbers[key] = number }
        return number
    }

    /// The post of this number, unless it was deleted.
    func entry(_ number: Int) -> Entry? {
        guard entries.indices.contains(number - 1), !entries[number - 1].isDeleted else { return nil }
        return entries[number - 1]
    }

    /// The first post with this key, unless it was deleted.
    func entry(key: String) -> Entry? {
        numbers[key].flatMap { entry($0) }
    }

    /// Deletes the post of this number; whether there was one.
    mutating func delete(_ number: Int) -> Bool {
        guard let entry = entry(number) else { return false }
        entries[number - 1].isDeleted = true
        if let key = entry.key, numbers[key] == number { numbers[key] = nil }
        return true
    }
}
