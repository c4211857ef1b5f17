internal import CalotypeCCrypto

/// A digest that libcrypto could not make: the function is forbidden by its settings, or memory ran out.
package struct DigestError: Error, CustomStringConvertible {
    /// What could not be done.
    package let action: String
    /// The library's number for the reason; zero where it gave none.
    package let code: UInt

    init(_ action: String, code: UInt) {
        self.action = action
        self.code = code
    }

    /// Takes the calling thread's first reason and clears the rest, so that the next failure finds only its own.
    static func taken(_ action: String) -> DigestError {
        let code = ERR_get_error()
        ERR_clear_error()
        return DigestError(action, code: code)
    }

    package var description: String {
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return "cannot \(action)" }
        return "cannot \(action): " + (unsafe String(cString: reason))
    }
}
