import Glibc

/// Runs an example: reports errors, and exits with 0 or 1.
package enum Example {
    /// Runs `body`; an error that it throws is printed and ends the process with exit code 1.
    package static func run(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    /// Ends the example with `message` unless `condition` is true.
    package static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw Failure(description: message()) }
    }

    /// An expectation of an example that was not met.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }
}
