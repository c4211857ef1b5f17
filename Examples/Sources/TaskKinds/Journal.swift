import CalotypeTestKit

/// What happened, in order, from several tasks at the same time.
typealias Journal = Recorder<String>

extension Recorder<String> {
    var text: String { values.joined(separator: ", ") }

    /// Waits until the task is cancelled, and notes that.
    func noteCancellation(of name: String) async {
        // Nobody signals this event, so that only a cancellation ends the wait.
        try? await Event().wait()
        record("\(name) cancelled")
    }
}

/// An error without a story.
struct Mishap: Error {}
