import CalotypeCore
import CalotypeStore
import StoreTrials
import Testing

/// Thousands of random steps on the eviction queue and on plain arrays that follow the rules.
@Suite(.timeLimit(.minutes(1)))
struct EvictionModelTests {
    @Test(arguments: TrialSeed.seeds(20))
    func `the queue does what arrays do`(_ seed: TrialSeed) {
        var random = seed.random
        let capacity = Int.random(in: 50...1000, using: &random)
        var model = Model(capacity: capacity)
        var cache = Cache(capacity: capacity)
        for step in 0..<3000 {
            let key = UInt64.random(in: 0..<60, using: &random)
            let bytes = Int.random(in: 1...capacity / 5, using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 {
                model.remove(key)
                cache.remove(key)
            } else {
                let isBulk = Bool.random(using: &random)
                #expect(
                    cache.request(key, bytes, isBulk) == model.request(key, bytes, isBulk),
                    "step \(step)"
                )
            }
            #expect(cache.rows.small.map(\.key) == model.small.map(\.key), "step \(step)")
            #expect(cache.rows.main.map(\.key) == model.main.map(\.key), "step \(step)")
            #expect(model.bytes <= capacity)
        }
    }
}

/// Rows of a table, found by walking.
private struct Rows: EntryQueueing {
    var small: [QueuedEntry] = []
    var main: [QueuedEntry] = []

    func bytes(in segment: QueueSegment) -> Int {
        (segment == .small ? small : main).reduce(0) { $0 + $1.bytes }
    }

    func oldest(in segment: QueueSegment) -> QueuedEntry? { segment == .small ? small.first : main.first }

    mutating func moveToEndOfMain(_ entry: QueuedEntry) {
        remove(entry)
        main.append(entry)
    }

    mutating func remove(_ entry: QueuedEntry) {
        small.removeAll { $0.id == entry.id }
        main.removeAll { $0.id == entry.id }
    }
}

private struct Cache {
    var rows = Rows()
    private var queue: EvictionQueue
    private var nextID: Int64 = 0

    init(capacity: Int) {
        queue = EvictionQueue(capacity: ByteCount(capacity))
    }

    mutating func request(_ key: UInt64, _ bytes: Int, _ isBulk: Bool) -> Bool {
        if (rows.small + rows.main).contains(where: { $0.key == key }) {
            queue.hits.add(key)
            return true
        }
        guard let segment = queue.place(key, ByteCount(bytes), isBulk: isBulk) else { return false }
        while rows.bytes(in: .small) + rows.bytes(in: .main) + bytes > queue.capacity.bytes {
            #expect(queue.step(&rows) != .empty)
        }
        let entry = QueuedEntry(id: nextID, key: key, bytes: bytes)
        nextID += 1
        if segment == .small { rows.small.append(entry) } else { rows.main.append(entry) }
        return false
    }

    mutating func remove(_ key: UInt64) {
        for entry in rows.small + rows.main where entry.key == key { rows.remove(entry) }
        queue.forget(key)
    }
}

/// The rules in the words of the paper, but for the one hit that is enough, with a count in each object.
private struct Model {
    struct Object {
        let key: UInt64
        let bytes: Int
        var frequency = 0
    }

    let capacity: Int
    var small: [Object] = []
    var main: [Object] = []
    var ghosts: [Object] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    var bytes: Int { (small + main).reduce(0) { $0 + $1.bytes } }

    mutating func request(_ key: UInt64, _ bytes: Int, _ isBulk: Bool) -> Bool {
        if let place = small.firstIndex(where: { $0.key == key }) {
            small[place].frequency = min(small[place].frequency + 1, 3)
            return true
        }
        if let place = main.firstIndex(where: { $0.key == key }) {
            main[place].frequency = min(main[place].frequency + 1, 3)
            return true
        }
        let object = Object(key: key, bytes: bytes)
        let isGhost = ghosts.contains { $0.key == key }
        ghosts.removeAll { $0.key == key }
        guard isGhost || isBulk || bytes <= capacity / 100 else {
            addGhost(object)
            return false
        }
        while self.bytes + bytes > capacity { evict() }
        if isGhost { main.append(object) } else { small.append(object) }
        return false
    }

    mutating func remove(_ key: UInt64) {
        small.removeAll { $0.key == key }
        main.removeAll { $0.key == key }
        ghosts.removeAll { $0.key == key }
    }

    private mutating func evict() {
        let isSmallFull = small.reduce(0) { $0 + $1.bytes } >= capacity / 10
        if !small.isEmpty, isSmallFull || main.isEmpty {
            var object = small.removeFirst()
            guard object.frequency > 0 else { return addGhost(object) }
            object.frequency = 0
            main.append(object)
        } else {
            var object = main.removeFirst()
            guard object.frequency > 0 else { return }
            object.frequency -= 1
            main.append(object)
        }
    }

    private mutating func addGhost(_ object: Object) {
        ghosts.append(object)
        while ghosts.reduce(0, { $0 + $1.bytes }) > capacity - capacity / 10 { ghosts.removeFirst() }
    }
}
