import CalotypeTestKit

/// The events of several concurrent tasks, in order.
typealias Journal = Recorder<String>

extension Recorder<String> {
    var text: String { values.joined(separator: ", ") }

    /// Waits until the task is cancelled, and records that.
    func noteCancellation(of name: String) async {
        // Nothing signals this event, so only a cancellation ends the wait.
        try? await Event().wait()
        record("\(name) cancelled")
    }
}

/// An error for the claims.
struct Mishap: Error {}
