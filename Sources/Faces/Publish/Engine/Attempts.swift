internal import CalotypeCore
internal import TaskFlow

/// The attempts at one thing: it waits between them as the machine decides.
struct Attempts {
    private var machine: AttemptMachine
    private let pacing: Pacing
    private let random: @Sendable (Duration) -> Duration
    private var highest = ByteCount(0)

    init(_ configuration: PublisherConfiguration, _ pacing: Pacing) {
        machine = AttemptMachine(configuration.retry, at: pacing.now)
        self.pacing = pacing
        random = configuration.random
    }

    /// Waits until requests may be sent.
    mutating func wait() async throws {
        let start = pacing.now
        try await pacing.wait()
        machine.waited(pacing.now - start)
    }

    /// Takes note of how many bytes the server has at most had.
    mutating func reached(_ count: ByteCount) {
        guard count > highest else { return }
        highest = count
        machine.advanced(at: pacing.now)
    }

    /// Waits for the next attempt.
    ///
    /// - Parameters:
    ///   - failure: Why the last one failed.
    ///   - announce: Is told how long the wait is, before it.
    /// - Returns: Whether the next one is to start over.
    /// - Throws: The failure's error where there is no next attempt; `CancellationError`.
    mutating func recover(from failure: PublishFailure, announce: (Duration) -> Void) async throws -> Bool {
        switch machine.failed(failure.remedy, at: pacing.now) {
        case .giveUp: throw Self.final(failure)
        case .retry(let ceiling): try await sleep(random(ceiling), announce)
        case .retryAfter(let pause): try await sleep(pause, announce)
        case .hold(let pause):
            pacing.hold(pause)
            announce(pause)
        case .startOver: return true
        }
        return false
    }

    private func sleep(_ pause: Duration, _ announce: (Duration) -> Void) async throws {
        announce(pause)
        try await pacing.sleep(pause)
    }

    private static func final(_ failure: PublishFailure) -> CalotypeError {
        guard failure.remedy == .startOver else { return failure.error }
        return CalotypeError(
            .uploadLost,
            "the server lost the upload again and again: \(failure.error.message)",
            stage: .response,
            url: failure.error.url,
            cause: failure.error
        )
    }
}
