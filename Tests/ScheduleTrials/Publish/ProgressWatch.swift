import CalotypeCore
import CalotypePublish
import TaskFlow

/// Looks at the progress of one run, and takes down where it goes back or says more than the server has.
final class ProgressWatch: Sendable {
    private struct State {
        var last: PublishState?
        /// The most bytes of each medium that the server has ever told of.
        var told: [Int: ByteCount] = [:]
    }

    let progress: PublishProgress
    private let fixture: PostFixture
    private let state = Guarded(State())

    init(_ fixture: PostFixture) {
        self.fixture = fixture
        progress = PublishProgress(interval: .milliseconds(20))
    }

    func serverSays(_ count: ByteCount, of position: Int) {
        state.withLock { $0.told[position] = max($0.told[position] ?? ByteCount(0), count) }
    }

    /// Compares the newest state with the last one that was looked at.
    func look() {
        let findings = state.withLock { state in
            // Read inside, so that two who look do not see the states in another order.
            let now = progress.current
            defer { state.last = now }
            return Self.findings(now, after: state.last, state.told)
        }
        for finding in findings { fixture.find(finding) }
    }

    /// Reads the progress to its end, as a user does.
    func read() async -> PublishState.Stage? {
        var last: PublishState.Stage?
        for await state in progress {
            if last?.isLast == true { fixture.find("the progress goes on after its end") }
            last = state.stage
            look()
        }
        return last
    }

    private static func findings(
        _ now: PublishState,
        after last: PublishState?,
        _ told: [Int: ByteCount]
    ) -> [String] {
        var findings: [String] = []
        if let last, last.stage.isLast, last != now { findings.append("the progress changes after its end") }
        if now.fraction > 1 { findings.append("the progress is \(now.fraction)") }
        for (position, item) in now.items.enumerated() {
            // A medium that an earlier attempt or run brought up is told as a whole.
            let isUp = item.stage == .checking || item.stage == .ready
            if !isUp, item.acknowledged > told[position] ?? ByteCount(0) {
                findings.append(
                    "the progress of medium \(position) tells of bytes that the server does not have"
                )
            }
            guard let last, last.items.count == now.items.count else { continue }
            let before = last.items[position]
            if item.acknowledged < before.acknowledged, item.rewinds == before.rewinds {
                findings.append("the progress of medium \(position) goes back")
            }
            if item.attempt < before.attempt || item.rewinds < before.rewinds {
                findings.append("the attempts of medium \(position) go back")
            }
        }
        return findings
    }
}
