internal import Glibc

/// A system call that failed, in the system's words.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32
    let action: String

    /// Takes the calling thread's `errno`.
    init(_ action: String, code: Int32 = errno) {
        self.code = code
        self.action = action
    }

    var description: String {
        "cannot \(action): " + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
    }
}
