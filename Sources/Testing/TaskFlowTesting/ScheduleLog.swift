internal import CalotypeCTaskHooks
internal import TaskFlow

/// The record of a schedule: its decisions, to compare and repeat runs, and further details for readers.
struct ScheduleLog: Sendable {
    struct Step: Sendable {
        let task: Int
        /// The thread executor's or main thread's name, for tasks that run there.
        let place: String?
        /// The functions in which it continues, the innermost first; only one, unless everything is recorded.
        let resumptions: [UInt]
        /// Where another task was interrupted in its work, or this one, if it is the one that continues.
        let interrupted: String?
        /// The number of jobs that could run, and which one did, the oldest being 0.
        let count: Int
        let choice: Int
        /// The tasks that could run, the oldest first; empty unless they are recorded.
        let candidates: [Int]
        var notes: [String] = []
    }

    var recordsAll = false
    private(set) var steps: [Step] = []
    /// The numbers of tasks, by their identifiers in the runtime.
    private(set) var numbers: [UInt64: Int] = [:]
    private(set) var names: [Int: String] = [:]
    /// How often each state that `sometimes` reports was reached.
    var reached: [String: Int] = [:]

    /// The number of steps before the closure threw.
    private var stepsUntilThrow: Int?

    /// The steps before the closure threw; all of them if it did not.
    var tale: ArraySlice<Step> { steps.prefix(stepsUntilThrow ?? steps.count) }

    /// Records that the closure has thrown; later steps play no part.
    mutating func hasThrown() {
        stepsUntilThrow = steps.count
    }

    /// The decisions, one for each step at which several could run.
    var choices: [Int] { steps.filter { $0.count > 1 }.map(\.choice) }

    mutating func number(of id: UInt64) -> Int {
        if let number = numbers[id] { return number }
        let number = numbers.count + 1
        numbers[id] = number
        return number
    }

    /// Stores the name of the running task, which no other code can query, and returns the task's number.
    @discardableResult
    mutating func nameRunningTask() -> Int? {
        guard let task = unsafe CTaskHooksTask(), let number = unsafe numbers[CTaskHooksTaskID(task)] else {
            return nil
        }
        if names[number] == nil, let name = unsafe CTaskHooksTaskName() {
            names[number] = unsafe String(cString: name)
        }
        return number
    }

    /// Records which entry continues.
    ///
    /// `place` is where the running job allowed an interruption; without one, the decision falls between two
    /// jobs.
    mutating func step(
        _ entry: Schedule.Entry,
        choice: Int,
        among tasks: [Int],
        interrupting interrupted: String? = nil
    ) {
        let place: String? =
            switch entry.lane {
            case .pool: nil
            case .main: "main thread"
            case .threads(let executor): executor.name
            case .queue(let executor): executor.name
            }
        steps.append(
            Step(
                task: entry.task,
                place: place,
                resumptions: interrupted != nil && choice == 0 ? [] : entry.resumptions,
                interrupted: interrupted,
                count: tasks.count,
                choice: choice,
                candidates: recordsAll ? tasks : []
            )
        )
    }

    mutating func note(_ text: String) {
        guard let task = nameRunningTask(), !steps.isEmpty else { return }
        steps[steps.count - 1].notes.append(
            task == steps[steps.count - 1].task ? text : "\(name(task)): \(text)"
        )
    }

    /// A description of a task, such as `task 3 'reader'`.
    func name(_ task: Int) -> String {
        guard task > 0 else { return "an actor" }
        return names[task].map { "task \(task) '\($0)'" } ?? "task \(task)"
    }

    /// Describes the first step at which another run of the same seed differed.
    ///
    /// `nil` if there is none.
    func difference(from other: ScheduleLog) -> String? {
        for (index, (mine, its)) in zip(steps, other.steps).enumerated()
        where mine.task != its.task || mine.choice != its.choice || mine.count != its.count
            || mine.resumptions.first != its.resumptions.first
        {
            return "step \(index + 1): \(words(mine)); the second time: \(other.words(its))"
        }
        guard steps.count != other.steps.count else { return nil }
        return "\(steps.count) steps the first time, \(other.steps.count) the second"
    }

    private func interruption(_ place: String, _ step: Step) -> String {
        guard step.choice > 0 else { return ", is not interrupted \(place)" }
        return ", while \(step.candidates.first.map(name) ?? "another task") is \(place)"
    }

    /// A description of a step.
    func words(_ step: Step) -> String {
        var text = name(step.task)
        if let place = step.place { text += " on '\(place)'" }
        let functions = step.resumptions.compactMap(SymbolNames.shared.name)
        if !functions.isEmpty {
            text += " continues in \(functions.prefix(2).joined(separator: ", called by "))"
        }
        if let place = step.interrupted {
            text += interruption(place, step)
        } else if step.choice > 0 {
            let older = step.candidates.prefix(step.choice).map { $0 == 0 ? "an actor" : "\($0)" }
            text += ", out of turn" + (older.isEmpty ? "" : ", before \(older.joined(separator: ", "))")
        }
        return ([text] + step.notes.map { "    \($0)" }).joined(separator: "\n")
    }
}
