internal import CalotypeStore
internal import TaskFlowTesting

/// A step of the programs for the write-behind.
struct WriteBehindStep: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        case read
        /// A read whose task is cancelled at once.
        case cancelledRead
        case store(version: UInt8, length: Int)
        case replace(version: UInt8, length: Int)
        case metadata(version: UInt8)
        case remove
        case flush
        case waitForRoom
        /// The scope of all writers is cancelled.
        case close
        /// Not a step of a task: how the store behaves at a call.
        case manner(call: Int, ScriptedStore.Manner)
        /// How much may wait; half of the programs have no such bound.
        case room(bytes: Int)
    }

    let task: Int
    let pause: Int
    let key: StoreKey
    let action: Action

    var description: String {
        switch action {
        case .manner(let call, let manner): "call \(call) of the store: \(manner)"
        case .room(let bytes): "room for \(bytes) bytes"
        default: "task \(task), after \(pause) ms: \(action) \(key.text)"
        }
    }

    static let program: @Sendable (inout ScheduleRandom) -> [WriteBehindStep] = { random in
        var steps = (0..<Int.random(in: 3...10, using: &random)).map { step($0, &random) }
        for call in 1...12 where Int.random(in: 0..<4, using: &random) == 0 {
            steps.append(Self(task: 0, pause: 0, key: a, action: .manner(call: call, manner(&random))))
        }
        if Bool.random(using: &random) {
            let bytes = Int.random(in: 300...1200, using: &random)
            steps.append(Self(task: 0, pause: 0, key: a, action: .room(bytes: bytes)))
        }
        return steps
    }

    private static let a = StoreKey("a")
    private static let b = StoreKey("b")

    private static func step(_ number: Int, _ random: inout ScheduleRandom) -> Self {
        let version = UInt8(number + 1)
        // The last of these alone is more than there is room for.
        let length = [4, 100, 2000][Int.random(in: 0..<3, using: &random)]
        let action: Action =
            switch Int.random(in: 0..<32, using: &random) {
            case 0..<9: .read
            case 9: .cancelledRead
            case 10..<14: .store(version: version, length: length)
            case 14..<20: .replace(version: version, length: length)
            case 20..<23: .metadata(version: version)
            case 23..<28: .remove
            case 28: .flush
            case 29..<31: .waitForRoom
            default: .close
            }
        return Self(
            task: Int.random(in: 0..<3, using: &random),
            pause: max(Int.random(in: -4...3, using: &random), 0),
            key: Int.random(in: 0..<4, using: &random) == 0 ? b : a,
            action: action
        )
    }

    private static func manner(_ random: inout ScheduleRandom) -> ScriptedStore.Manner {
        func time() -> Duration { .milliseconds([0, 1, 2, 6000][Int.random(in: 0..<4, using: &random)]) }
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .refusesBefore
        case 1: .refusesAfter
        default: .slow(time(), time())
        }
    }
}
