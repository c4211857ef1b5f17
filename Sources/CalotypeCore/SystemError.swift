import Glibc

/// A system call that failed, in the system's words.
package struct SystemError: Error, CustomStringConvertible {
    package let code: Int32
    package let action: String

    /// Takes the calling thread's `errno`.
    package init(_ action: String, code: Int32 = errno) {
        self.code = code
        self.action = action
    }

    package var description: String { "cannot \(action): \(reason)" }

    /// Why, without what was tried.
    package var reason: String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
