import CalotypeCore
import TaskFlow

extension LivePriority {
    /// As urgent as `request` says.
    convenience init(_ request: ImageRequest) {
        self.init(request.priority, deadline: request.deadline)
    }
}
