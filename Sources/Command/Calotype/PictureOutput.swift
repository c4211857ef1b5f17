import CalotypeCommandLineKit
import CalotypeCore

extension Rendition {
    /// Writes the picture to the file at `path`, or to standard output for `-`.
    ///
    /// - Throws: `storage_failed`, also where nobody reads standard output any more: a part of a picture is none.
    func writeOut(to path: String) throws(CalotypeError) {
        guard path == "-" else { return try write(to: path) }
        do throws(OutputError) {
            try TerminalOutput.standardOutput.write(bytes)
        } catch {
            throw CalotypeError(.storageFailed, "standard output: \(error)", stage: .store)
        }
    }
}
