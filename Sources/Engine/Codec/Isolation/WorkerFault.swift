import CalotypeCore

/// Why a worker gave no answer.
enum WorkerFault: Error {
    /// It ended.
    case ended
    /// Its answer makes no sense.
    case nonsense
    /// The system would not let it be asked.
    case system(SystemError)

    /// The fault in words; `end` is how the worker ended then.
    func reason(_ end: WorkerEnd) -> String {
        switch self {
        case .ended: end.description
        case .nonsense: "its answer makes no sense"
        case .system(let error): error.description
        }
    }
}
