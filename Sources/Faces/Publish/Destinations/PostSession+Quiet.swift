internal import CalotypeHTTP

extension PostSession {
    /// When a request with the post was last sent, or a clock was last found to be wrong.
    private struct LastSent: Codable {
        let secondsSince1970: Int
    }

    /// How long a server may need for a request that was cut.
    static let settlingTime = Duration.seconds(5)

    /// Whether a request of an earlier attempt that was cut is no longer at work.
    ///
    /// If the clock was set back since, nobody knows how long ago that was; then the time counts from now on. Call it before the
    /// server is asked: the answer is as old as the question.
    func isQuiet() async throws -> Bool {
        let now = client.time
        let noted = state.value(LastSent.self).map { WallTime(secondsSince1970: $0.secondsSince1970) }
        // What was noted is later than the first request, whatever the clock said at the time.
        guard let latest = noted ?? firstSent else { return true }
        guard latest <= now else {
            try await noteSending()
            return false
        }
        let last = [firstSent, noted].compactMap(\.self).filter { $0 <= now }.max() ?? latest
        return now - last >= Self.settlingTime
    }

    /// Writes down that the post is sent again, although an earlier request may have arrived.
    func noteSending() async throws {
        try await remember(LastSent(secondsSince1970: client.time.secondsSince1970))
    }
}
