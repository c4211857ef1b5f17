import CalotypeCommandLineKit
import CalotypeCore
import CalotypePublish
import Glibc

/// A post that is to be published, as it was ordered: what, where, and how often.
struct PublishOrder: Sendable {
    /// The file of the post; `nil` for standard input.
    let file: String?
    /// The file as it was named.
    let name: String
    let post: Post
    let target: PublishTarget
    let profile: PublishProfile
    let destination: any PublishDestination
    let repetition: Repetition

    /// Reads the post and finds the server.
    ///
    /// - Throws: `CalotypeError` for what cannot be read, is no post, or is no server.
    init(
        _ operand: String,
        to target: PublishTarget,
        _ repetition: Repetition
    ) throws(CalotypeError) {
        let isInput = operand == "-"
        name = isInput ? "standard input" : operand
        let path = isInput ? nil : Self.absolute(operand)
        file = path
        post = try Post(
            json: try Self.read(path, named: name),
            named: name,
            relativeTo: path.map(Self.folder) ?? Self.absolute("")
        )
        self.target = target
        self.repetition = repetition
        profile = try target.profile(environment: EnvironmentVariables.all)
        destination = try profile.destination()
    }

    /// What is to be typed to go on, to publish once more, to remove what is left, and to tell what became of it.
    func commands(journal: String?, keepsMetadata: Bool) -> PublishEnding.Commands {
        let journal = journal.map { ["--journal", $0] } ?? []
        var words = ["calotype", "publish", file == nil ? "-" : name, "--to", target.to]
        words += target.postTo.map { ["--post-to", $0] } ?? []
        words += target.settle.map { ["--settle", $0] } ?? []
        words +=
            (target.allowsHTTP ? ["--allow-http"] : []) + (keepsMetadata ? ["--keep-metadata"] : []) + journal
        // A URL with a query may be a signature, which nobody else is to see.
        let line =
            target.isPlain ? words.map(ShellWord.quoted).joined(separator: " ") : "the same command with"
        return .init(
            resume: "\(line) --resume",
            again: "\(line) --again",
            collect: (["calotype publish gc"] + journal.map(ShellWord.quoted)).joined(separator: " "),
            settle: (["calotype publish settle"] + journal.map(ShellWord.quoted)).joined(separator: " ")
        )
    }

    /// Reads a file, or standard input; a byte more than is allowed, by which too many are noticed.
    private static func read(_ path: String?, named name: String) throws(CalotypeError) -> [UInt8] {
        do {
            let file =
                try path.map { path throws(SystemError) in try OpenFile(path, O_RDONLY) }
                ?? OpenFile(descriptor: STDIN_FILENO, isOwned: false)
            var bytes: [UInt8] = []
            while bytes.count <= Post.mostJSON.bytes, case let more = try file.read(64 << 10), !more.isEmpty {
                bytes += more
            }
            return bytes
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "\(name): \(error.code == ENOENT ? "no such file" : error.reason.lowercased())",
                stage: .request
            )
        }
    }

    /// The path from the root on: a resume may be started in another folder.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        let here = unsafe String(cString: folder)
        return path.isEmpty ? here : here == "/" ? "/\(path)" : "\(here)/\(path)"
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }
}
