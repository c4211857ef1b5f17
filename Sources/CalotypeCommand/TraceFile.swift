import CalotypeBulk
import CommandLineKit
import Glibc
import TaskFlow

/// The file of `--trace`: opened before the run, written after it.
struct TraceFile: Sendable {
    let recorder = TraceRecorder()
    private let output: TerminalOutput
    private let path: String
    private let command: String

    /// Opens the file for the trace of `command`, in place of what it held.
    ///
    /// - Throws: `FetchSetupError`.
    init(path: String, command: String) throws(FetchSetupError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw FetchSetupError(
                "the trace \(path) cannot be written: \(unsafe String(cString: strerror(errno)))"
            )
        }
        output = TerminalOutput(descriptor: descriptor)
        self.path = path
        self.command = command
    }

    /// Writes what was recorded, once, and closes the file; a failure is said on standard error.
    func finish() {
        var writer = ChromeTraceWriter { try output.write($0) }
        do { try writer.write(recorder) } catch {
            Main.complain("calotype \(command): the trace \(path): \(error)\n")
        }
        close(output.descriptor)
    }
}
