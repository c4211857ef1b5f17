/// The answers that are promised to callers who wait without a task, until they are given.
///
/// It is a value that decides: ``ReadQueue`` keeps it behind its lock. Time comes in ticks, so that one timer does for all
/// look-ups; a timer for each costs more than the look-up.
struct PromisedAnswers: Sendable {
    typealias Answer = @Sendable (StoredEntry?) -> Void

    /// The time from one tick to the next; an answer is given up between four and five ticks after it was promised.
    static let tick = Duration.seconds(1)
    /// The most answers that may be promised: as many as a disk that hangs can hold up.
    static let limit = 4_096
    private static let fullTicks = 4

    private var answers: [UInt64: Answer] = [:]
    /// The latest number at each of the latest ticks, the oldest first.
    private var marks: [UInt64] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Keeps the answer to the look-up `number`, which is above all before it; false where there are too many.
    mutating func promise(_ number: UInt64, _ answer: @escaping Answer) -> Bool {
        guard answers.count < Self.limit else { return false }
        answers[number] = answer
        return true
    }

    /// The answer to the look-up `number`, for the one who gives it; `nil` where it was given up.
    mutating func take(_ number: UInt64) -> Answer? {
        answers.removeValue(forKey: number)
    }

    /// Takes note that time passes, up to the look-up `latest`, and gives up what is late.
    mutating func pass(latest: UInt64) -> [(number: UInt64, answer: Answer)] {
        marks.append(latest)
        guard marks.count > Self.fullTicks else { return [] }
        let mark = marks.removeFirst()
        let late = answers.filter { $0.key <= mark }
        for number in late.keys { answers[number] = nil }
        return late.map { ($0.key, $0.value) }
    }
}
