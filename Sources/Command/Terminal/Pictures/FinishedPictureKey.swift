import CalotypeCore
import TaskFlow

/// What a finished picture is kept under: what it shows, and the room it was drawn for.
struct FinishedPictureKey: Hashable {
    private let request: ImageRequest
    private let box: PictureBox

    /// Requests that differ only in their urgency, their cache policy, or what they are encoded as show the same.
    init(_ request: ImageRequest, _ box: PictureBox) {
        var request = request
        request.priority = .normal
        request.deadline = nil
        request.output = .jpeg
        request.cachePolicy = .use
        self.request = request
        self.box = box
    }
}
