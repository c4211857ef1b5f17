internal import CalotypeCore
internal import Glibc

/// The report: a JSON object a line, written out as soon as it is known.
struct ReportWriter {
    private let file: OpenFile
    /// Whether entries become several files, each told in a list.
    private let listsRenditions: Bool
    /// Why nothing more is written, once it is so.
    private(set) var problem: String?

    /// Replaces the file at `path`; `-` is standard output.
    init(path: String, listsRenditions: Bool = false) throws(FetchSetupError) {
        self.listsRenditions = listsRenditions
        do throws(SystemError) {
            file =
                path == "-"
                ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
                : try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        } catch {
            throw FetchSetupError("the report cannot be written: \(error)")
        }
    }

    /// Writes the line of `outcome`; after an error it does nothing.
    mutating func write(_ outcome: FetchOutcome) {
        guard problem == nil else { return }
        do throws(SystemError) {
            try file.write(Array((outcome.reportLine(listsRenditions: listsRenditions) + "\n").utf8))
        } catch {
            problem = "the report is incomplete: \(error)"
        }
    }
}
