/// What names resolved to, for a while; a bounded value that is told the time.
struct NameCache {
    typealias Instant = ContinuousClock.Instant

    private struct Entry {
        let answer: LookupAnswer
        let expiry: Instant
    }

    private let lifetime: Duration
    private let failureLifetime: Duration
    private let capacity: Int
    private var entries: [String: Entry] = [:]

    init(lifetime: Duration, failureLifetime: Duration, capacity: Int) {
        self.lifetime = lifetime
        self.failureLifetime = failureLifetime
        self.capacity = capacity
    }

    var count: Int { entries.count }

    func answer(for host: String, now: Instant) -> LookupAnswer? {
        entries[host].flatMap { $0.expiry > now ? $0.answer : nil }
    }

    mutating func store(_ answer: LookupAnswer, for host: String, now: Instant) {
        // It says nothing about the name.
        if case .shortage = answer { return }
        if entries.count >= capacity, entries[host] == nil { makeRoom(now) }
        let lifetime = if case .addresses = answer { lifetime } else { failureLifetime }
        entries[host] = Entry(answer: answer, expiry: now + lifetime)
    }

    /// Drops what has expired and, so that this is rare, the half that expires first.
    private mutating func makeRoom(_ now: Instant) {
        let kept = entries.filter { $0.value.expiry > now }.sorted { $0.value.expiry > $1.value.expiry }
        entries = Dictionary(uniqueKeysWithValues: kept.prefix(capacity / 2).map { ($0.key, $0.value) })
    }
}
