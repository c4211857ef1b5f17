internal import CalotypePlatform

/// The environment variables that the program was started with.
package enum EnvironmentVariables {
    /// All variables.
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

    /// Returns the value of `name`; `nil` if it is not set or is empty.
    package static func value(of name: String) -> String? {
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The folder for temporary files: `TMPDIR`, or `/tmp`.
    package static var temporaryFolder: String { value(of: "TMPDIR") ?? "/tmp" }

    /// Returns the value of `name` if it is an absolute path.
    ///
    /// The specification of XDG's folders says to ignore other values.
    package static func absolutePath(in name: String) -> String? {
        value(of: name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
