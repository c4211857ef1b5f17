import CalotypeCore
import TaskFlow

extension LivePriority {
    /// As urgent as `request` says.
    convenience init(_ request: ImageRequest) {
        self.init(request.priority, deadline: request.deadline)
    }

    /// Takes over what the request hook has changed; what it left alone the caller may have set anew meanwhile.
    func follow(_ prepared: ImageRequest, from request: ImageRequest) {
        if prepared.priority != request.priority { set(prepared.priority) }
        if prepared.deadline != request.deadline { set(deadline: prepared.deadline) }
    }
}
