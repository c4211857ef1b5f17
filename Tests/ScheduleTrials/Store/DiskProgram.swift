internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlowTesting

/// A step of the programs for the disk cache.
struct DiskStep: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        case read, cancelledRead
        /// One that nobody waits for before the scope ends.
        case lateRead
        case store(version: UInt8, length: Int)
        case replace(version: UInt8, length: Int)
        case metadata(version: UInt8)
        case remove, removeAll, flush, verify
        case trim(ByteCount)
        /// The folder of value files is in the way of values, and no longer.
        case spoil, mend
        /// The value files are damaged.
        case damage
        /// Not a step of a task: the cache has room for a few entries only.
        case limit(ByteCount)
        /// Not a step of a task: the keys have values on the disk when the tasks begin.
        case filled
    }

    let task: Int
    let pause: Int
    let key: StoreKey
    let action: Action
    /// Whether the writer is to do it at once.
    var isUrgent = false

    var description: String {
        switch action {
        case .limit(let bytes): "a limit of \(bytes.bytes) bytes"
        case .filled: "\(key.text) is filled"
        default: "task \(task), after \(pause) ms: \(action) \(key.text)\(isUrgent ? ", at once" : "")"
        }
    }

    /// Whether values may be lost by it.
    var loses: Bool {
        switch action {
        case .trim, .spoil, .damage, .limit: true
        default: false
        }
    }

    /// A fifth of the programs are crowds at one key; the others are of all kinds.
    static let program: @Sendable (inout ScheduleRandom) -> [DiskStep] = { random in
        Int.random(in: 0..<5, using: &random) == 0 ? crowd(&random) : mixture(&random)
    }

    private static func crowd(_ random: inout ScheduleRandom) -> [DiskStep] {
        let key = StoreKey("a")
        let steps = (0..<Int.random(in: 2...6, using: &random)).map { number in
            let actions: [Action] = [
                .read, .read, .replace(version: UInt8(number + 1), length: 200), .remove,
                .store(version: UInt8(number + 1), length: 200),
            ]
            let action = actions[Int.random(in: actions.indices, using: &random)]
            return Self(task: number % 3, pause: 0, key: key, action: action, isUrgent: true)
        }
        return steps + [Self(task: 0, pause: 0, key: key, action: .filled)]
    }

    private static func mixture(_ random: inout ScheduleRandom) -> [DiskStep] {
        let isTight = Int.random(in: 0..<3, using: &random) == 0
        let isRough = Int.random(in: 0..<3, using: &random) == 0
        let keys = (isTight ? ["a", "b", "c", "d"] : ["a", "a", "b"]).map { StoreKey($0) }
        var steps = (0..<Int.random(in: 4...12, using: &random)).map {
            step($0, keys, isTight: isTight, isRough: isRough, &random)
        }
        for key in Set(keys).sorted(by: { $0.text < $1.text }) where Int.random(in: 0..<4, using: &random) > 0
        {
            steps.append(Self(task: 0, pause: 0, key: key, action: .filled))
        }
        if isTight {
            steps.append(Self(task: 0, pause: 0, key: keys[0], action: .limit(ByteCount(1000))))
        }
        return steps
    }

    private static func step(
        _ number: Int,
        _ keys: [StoreKey],
        isTight: Bool,
        isRough: Bool,
        _ random: inout ScheduleRandom
    ) -> Self {
        let version = UInt8(number + 1)
        // In the index, or in a file.
        let length = isTight || Bool.random(using: &random) ? 200 : 4
        let action: Action =
            switch Int.random(in: 0..<(isRough ? 36 : 31), using: &random) {
            case 0..<7: .read
            case 7: .cancelledRead
            case 8, 9: .lateRead
            case 10..<15: .store(version: version, length: length)
            case 15..<20: .replace(version: version, length: length)
            case 20..<23: .metadata(version: version)
            case 23..<26: .remove
            case 26: .removeAll
            case 27..<30: .flush
            case 30: .verify
            case 31: .trim(ByteCount(Int.random(in: 0...600, using: &random)))
            case 32..<34: .spoil
            case 34: .mend
            default: .damage
            }
        return Self(
            task: Int.random(in: 0..<3, using: &random),
            // As long as the writer waits for more changes, and longer than it rests after a refusal.
            pause: [0, 0, 0, 1, 10, 10, 40_000][Int.random(in: 0..<(isRough ? 7 : 6), using: &random)],
            key: keys[Int.random(in: keys.indices, using: &random)],
            action: action,
            isUrgent: Int.random(in: 0..<3, using: &random) == 0
        )
    }
}
