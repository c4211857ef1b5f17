import Glibc

/// The variables that the program was started with.
package enum EnvironmentVariables {
    /// All of them.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let parts = unsafe String(cString: entry).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe next += 1
        }
        return variables
    }

    /// The value of `name`; `nil` where it is not set or empty.
    package static func value(of name: String) -> String? {
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
