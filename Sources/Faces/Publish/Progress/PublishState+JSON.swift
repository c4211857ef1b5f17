internal import CalotypeCore
internal import FoundationEssentials

extension PublishState {
    /// The state as a JSON object on one line, for programs.
    ///
    /// ```json
    /// {"stage": "uploading", "fraction": 0.42, "acknowledged": 420, "total": 1000, "rewinds": 0, "pause": 12.5, "problem": "…",
    ///  "retry_in": 1.5, "items": [{"name": "1.jpg", "stage": "uploading", "size": 1000, "sent": 500, "acknowledged": 420,
    ///  "attempt": 1, "rewinds": 0, "problem": "…", "retry_in": 2.5}]}
    /// ```
    ///
    /// Sizes are in bytes, times in seconds from now; `pause` is the one that the server wants. `pause`, `problem` and `retry_in` are
    /// left out where there is none.
    package func json(at now: ContinuousClock.Instant = .now) -> String {
        JSONLine.text(PublishStateDocument(self, at: now))
    }
}
