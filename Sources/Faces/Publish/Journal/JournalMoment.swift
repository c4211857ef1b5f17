/// A moment at which a process may die: before or after a transaction of the journal.
package struct JournalMoment: Hashable, Sendable {
    /// What is written.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        case begin, file, remember, uploaded, post, sent, unsent, posted, state, cleaned
    }

    package let step: Step
    package let isDone: Bool
}
