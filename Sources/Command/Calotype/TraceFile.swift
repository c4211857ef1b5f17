import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore
import TaskFlow

/// The file of `--trace`: opened before the run, written after it.
struct TraceFile: Sendable {
    let recorder = TraceRecorder()
    private let file: OpenFile
    private let path: String

    /// Opens the file, in place of what it held.
    ///
    /// - Throws: `FetchSetupError`.
    init(path: String) throws(FetchSetupError) {
        do throws(SystemError) {
            file = try OpenFile(writingTo: path)
        } catch {
            throw FetchSetupError("the trace \(path) cannot be written: \(error.reason)")
        }
        self.path = path
    }

    /// Writes what was recorded, once.
    ///
    /// - Returns: Why the trace is not complete, if so.
    func finish() -> String? {
        let output = TerminalOutput(descriptor: file.descriptor)
        var writer = ChromeTraceWriter { try output.write($0) }
        do {
            try writer.write(recorder)
            return nil
        } catch {
            return "the trace \(path) is incomplete: \(error)"
        }
    }
}
