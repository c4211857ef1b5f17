import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeFiles
import CalotypePlatform

/// `calotype state gc`: removes the state of output folders that were deleted.
enum StateCommand {
    private static let dryRun = Flag("dry-run", "Show what would be removed, and remove nothing.")

    static let command = Command(
        "state gc",
        summary: "remove what deleted output folders left in the state directory",
        discussion: [
            """
            For each output folder, fetch records in $XDG_STATE_HOME/calotype which images are complete. This \
            command removes the records of folders that no longer exist. If such a folder comes back, for \
            example on a disk that is not mounted now, the next fetch into it loads all its images again.
            """
        ],
        groups: [.init("Run", [dryRun])],
        examples: [.init("Show what would be removed", "calotype state gc --dry-run")]
    )

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let states = FetchStates()
        var failures = 0
        for orphan in states.orphans {
            let folder = TerminalText.line(orphan.folder)
            do throws(SystemError) {
                if !arguments[dryRun] { try states.remove(orphan) }
                let verb = arguments[dryRun] ? "would remove" : "removed"
                try TerminalOutput.standardOutput.write("\(verb) the state of \(folder) (\(orphan.size))\n")
            } catch {
                if error.code == EPIPE { throw error }
                failures += 1
                Main.complain("calotype state gc: \(folder): \(error)\n")
            }
        }
        if states.orphans.isEmpty { Main.complain("calotype state gc: nothing to remove\n") }
        if states.unnamedCount > 0 { Main.complain("calotype state gc: \(unnamed(states.unnamedCount))\n") }
        return failures == 0 ? 0 : failures < states.orphans.count ? 1 : 3
    }

    private static func unnamed(_ count: Int) -> String {
        let files = count == 1 ? "1 state file was" : "\(count) state files were"
        return "\(files) kept: they are from an earlier version, which did not record their folders"
    }
}
