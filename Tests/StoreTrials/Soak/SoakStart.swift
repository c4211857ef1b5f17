/// The moment at which a cache began to open after a kill.
struct SoakStart: Sendable {
    private let time = ContinuousClock.now
    private let processorTime = Figures.processorTime()

    /// The time from then on.
    ///
    /// - Returns: What a clock on the wall says.
    /// - Throws: ``SoakFailure`` when it took more than a second of this process's own work. A machine that is busy with
    ///   other work may take longer, but not for ever.
    func limited() throws -> Duration {
        let passed = time.duration(to: .now)
        let worked = Figures.processorTime() - processorTime
        guard worked <= .seconds(1), passed <= .seconds(20) else {
            throw SoakFailure("the first hit took \(passed), \(worked) of them at work")
        }
        return passed
    }
}
