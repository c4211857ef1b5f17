internal import CalotypeCore
internal import Glibc

/// The report: a JSON object a line, written out as soon as it is known.
struct ReportWriter {
    private let file: OpenFile
    /// Whether entries become several files, each told in a list.
    private let listsRenditions: Bool
    /// Why it is not complete, once it is so; nothing more is written then.
    private(set) var problem: String?
    /// Whether that is because nobody reads it, or the disk takes nothing more.
    private(set) var isRefused = false
    /// Whether it has a name, which somebody may take away.
    private let hasName: Bool

    /// Replaces what the file at `path` holds; `-` is standard output.
    init(path: String, listsRenditions: Bool = false) throws(FetchSetupError) {
        self.listsRenditions = listsRenditions
        do throws(SystemError) {
            file =
                path == "-"
                ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
                : try OpenFile(writingTo: path)
            let status = try file.status()
            hasName = path != "-" && status.isLinkedFile
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
            isRefused = error.isFull || error.code == EPIPE
        }
    }

    /// Looks at the end of the run whether the report is still there.
    mutating func finish() {
        // What cannot be looked at is taken to be there.
        guard problem == nil, hasName, let status = try? file.status(), !status.isLinkedFile else { return }
        problem = "the report was removed while it was written"
    }
}

extension stat {
    /// Whether it is a regular file that has a name.
    fileprivate var isLinkedFile: Bool { isKind(S_IFREG) && st_nlink > 0 }
}
