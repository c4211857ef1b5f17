import CalotypeCore
import Glibc

/// Errors of the system's socket calls.
enum SocketError {
    /// The error for `errno`, after `what` went wrong.
    static func make(_ what: String) -> CalotypeError {
        let reason = unsafe String(cString: strerror(errno))
        return CalotypeError(.connectFailed, "\(what): \(reason)", stage: .connect)
    }
}
