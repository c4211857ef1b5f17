internal import CalotypeCTaskHooks
internal import TaskFlow

/// Runs `body` and all its tasks on the calling thread, one job at a time, in an order set by the seed.
///
/// Jobs run here whatever executor their task prefers: the pool, the main actor or a `ThreadExecutor`. Time
/// is virtual: clocks stand still while anything can run, and then jump to the moment at which the next
/// sleeper wakes. The same seed, policy and program give the same run. Returns when nothing is left to run,
/// so unstructured tasks have ended too.
///
/// One schedule runs at a time in a process; a call on another thread waits for it. Don't call it inside a
/// schedule.
///
/// - Parameters:
///   - seed: Decides, with the policy, which job is next.
///   - policy: How to decide.
///   - stepLimit: The maximum number of steps in a run.
///   - body: The code to run; its task is task 1.
/// - Returns: What `body` returns.
/// - Throws: ``ScheduleError``, with the seed, the decisions and the story of the run, if `body` throws, if a
///   task is resumed from outside or runs on its own thread, if nothing can continue before `body` has ended,
///   or if the run exceeds the step limit.
public func withDeterministicSchedule<Output: Sendable>(
    seed: UInt64,
    policy: SchedulePolicy = .random,
    stepLimit: Int = 100_000,
    _ body: @escaping @Sendable () async throws -> Output
) throws -> Output {
    let run = ScheduleRun(seed: seed, policy: policy, stepLimit: stepLimit, recordsAll: true, body)
    switch run.result {
    case .success(let output): return output
    case .failure(let error):
        let replay = ScheduleReplay(seed: seed, operations: nil, choices: run.log.choices)
        throw ScheduleError(error, replay: replay, log: run.log)
    }
}

/// Adds a line to the story of a failing schedule, under the current step.
///
/// No effect outside a schedule.
public func scheduleNote(_ text: @autoclosure () -> String) {
    guard CTaskHooksIsScheduled(), let schedule = ScheduleHooks.current, schedule.recordsAll else { return }
    schedule.note(text())
}

/// One run of a closure under a schedule.
struct ScheduleRun<Output: Sendable> {
    let result: Result<Output, any Error>
    let log: ScheduleLog

    init(
        seed: UInt64,
        policy: SchedulePolicy,
        stepLimit: Int,
        recordsAll: Bool,
        _ body: @escaping @Sendable () async throws -> Output
    ) {
        precondition(!CTaskHooksIsScheduled(), "a schedule was asked for inside a schedule")
        (result, log) = ScheduleHooks.withSchedule(recordsAll: recordsAll) { schedule in
            let outcome = Guarded<Result<Output, any Error>?>(nil)
            // Owner: the schedule, which runs it to its end below, or reports that it is stuck.
            Task(name: "root", executorPreference: schedule) {
                let result: Result<Output, any Error>
                do { result = .success(try await body()) } catch {
                    schedule.hasThrown()
                    result = .failure(error)
                }
                outcome.withLock { $0 = result }
            }
            do {
                try schedule.run(policy, seed: seed, stepLimit: stepLimit)
                return (outcome.withLock(\.self) ?? .failure(ScheduleError.stuck), schedule.log)
            } catch {
                // The closure's error says more than what it left behind.
                if case .failure(let thrown)? = outcome.withLock(\.self) {
                    return (.failure(thrown), schedule.log)
                }
                return (.failure(error), schedule.log)
            }
        }
    }
}

/// The runtime's hooks, and the schedule that they serve.
enum ScheduleHooks {
    /// Locked while a schedule runs: there is one at a time.
    private static let turn = Guarded<Void>(())
    private static let running = Guarded<Schedule?>(nil)
    private static let areInstalled = unsafe CTaskHooksInstall(
        CTaskHooks(
            pool: { job in unsafe take(job) { $0.add($1, .pool) } },
            main: { job in unsafe take(job) { $0.add($1, .main) } },
            later: { time, job in unsafe take(job) { $0.add($1, at: time) } }
        )
    )

    static var current: Schedule? { running.withLock(\.self) }

    static func withSchedule<Output: Sendable>(
        recordsAll: Bool,
        _ body: (Schedule) -> (Result<Output, any Error>, ScheduleLog)
    ) -> (Result<Output, any Error>, ScheduleLog) {
        turn.withLock { _ in
            guard areInstalled else { return (.failure(ScheduleError.noHooks), ScheduleLog()) }
            let schedule = Schedule(recordsAll: recordsAll)
            running.withLock { $0 = schedule }
            TaskSchedule.install(schedule)
            defer {
                TaskSchedule.install(nil)
                running.withLock { $0 = nil }
            }
            return body(schedule)
        }
    }

    /// Gives the job to the schedule if it comes from the schedule's thread, or from one of its tasks.
    private static func take(_ job: UnsafeMutableRawPointer, _ add: (Schedule, UnownedJob) -> Void) -> Bool {
        guard let schedule = running.withLock(\.self) else { return false }
        let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
        guard CTaskHooksIsScheduled() || schedule.knows(job) else { return false }
        add(schedule, job)
        return true
    }
}
