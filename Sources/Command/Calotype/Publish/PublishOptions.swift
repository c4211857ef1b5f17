import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypePublish

/// The options of the commands that publish.
enum PublishOptions {
    static let to = Option(
        "to",
        .text("URL|PROFILE"),
        "URL of the server, or name of a profile that has it."
    )
    static let postTo = Option(
        "post-to",
        .text("URL"),
        "Where to send the post, as JSON, if its media are on a plain or tus server."
    )
    static let settle = Option(
        "settle",
        .text("key|ask|URL"),
        default: "ask",
        """
        What to do if the response to the post is lost, on a plain or tus server. key sends the post again \
        with the same Idempotency-Key. ask leaves it to you to check. A URL that contains {key} is \
        requested, and must return the post as JSON, or 404 if there is no such post.
        """
    )
    static let width = Option(
        "width",
        .integer(1...64),
        default: "the server's",
        "Maximum number of media files to send at a time."
    )
    static let allowHTTP = Flag(
        "allow-http",
        "Allow http to other machines too. Anyone on the network path can read it."
    )
    static let server = Command.Group("Server", [to, postTo, settle, width, allowHTTP])

    static let dryRun = Flag("dry-run", "Check the media, ask the server what it accepts, and send nothing.")
    static let keepMetadata = Flag(
        "keep-metadata",
        """
        Keep the GPS position in photos. Without this flag, photos are sent without it and otherwise \
        unchanged.
        """
    )
    static let resume = Flag(
        "resume",
        """
        Continue the same post where it stopped, or fail if it was never begun. Without POST.json, continue \
        all unfinished posts.
        """
    )
    static let again = Flag("again", "Publish even if the same post was already published or begun there.")
    static let journal = Option(
        "journal",
        .text("DIR"),
        default: "$XDG_STATE_HOME/calotype/publish",
        "Journal directory."
    )
    static let run = Command.Group("Run", [dryRun, keepMetadata, resume, again, journal])

    static let json = Flag("json", "Print the result as one JSON object on standard output.")
    static let progress = Option(
        "progress",
        .choice(["json": ProgressLine.Style.json]),
        "Print each state as a JSON object on one line of standard output, for programs."
    )
    static let quiet = Flag("quiet", short: "q", "Show no progress and no summary.")
    static let display = Command.Group("Display", [json, progress, quiet])

    static let network = Command.Group(
        "Network",
        [NetworkOptions.userAgent, NetworkOptions.proxy, NetworkOptions.caFile]
    )

    /// Returns the target, if one was given.
    static func target(_ arguments: ParsedArguments) -> PublishTarget? {
        guard let to = arguments[to] else { return nil }
        var target = PublishTarget(to: to)
        target.postTo = arguments[postTo]
        target.settle = arguments[settle]
        target.allowsHTTP = arguments[allowHTTP]
        return target
    }

    /// Returns the journal's folder.
    static func journalFolder(_ arguments: ParsedArguments) throws(UsageError) -> String {
        if let folder = arguments[journal] { return folder }
        guard let folder = stateFolder else {
            throw PublishCommand.error("no home directory for the journal; set a folder with --journal")
        }
        return "\(folder)/publish"
    }

    /// `$XDG_STATE_HOME/calotype`, else `~/.local/state/calotype`; `nil` if neither variable is set.
    static var stateFolder: String? {
        // The XDG base directory specification says to ignore a path that is not absolute.
        let state = EnvironmentVariables.absolutePath(in: "XDG_STATE_HOME")
        let home = EnvironmentVariables.absolutePath(in: "HOME")
        return (state ?? home.map { "\($0)/.local/state" }).map { "\($0)/calotype" }
    }

    /// Returns the configuration of a pipeline without a cache, because its renditions go to a server.
    static func pipeline(_ arguments: ParsedArguments) throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.memoryCache = .none
        DecoderOptions.apply(arguments, to: &configuration)
        return configuration
    }
}

/// A request to publish a post: the post, its destination, and whether to resume or repeat it.
struct PublishRequest: Sendable {
    /// The file of the post; `nil` for standard input.
    let file: String?
    /// The file name as the user gave it.
    let name: String
    let post: Post
    let target: PublishTarget
    let profile: PublishProfile
    let destination: any PublishDestination
    let repetition: Repetition

    /// Reads the post and resolves the destination.
    ///
    /// - Throws: `CalotypeError` if the file cannot be read, is not a post, or the destination is invalid.
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

    /// Returns the commands for resuming, publishing again, deleting files, and recording the outcome.
    func commands(journal: String?, keepsMetadata: Bool) -> PublishEnding.Commands {
        let journal = journal.map { ["--journal", $0] } ?? []
        var words = ["calotype", "publish", file == nil ? "-" : name, "--to", target.to]
        words += target.postTo.map { ["--post-to", $0] } ?? []
        words += target.settle.map { ["--settle", $0] } ?? []
        words +=
            (target.allowsHTTP ? ["--allow-http"] : []) + (keepsMetadata ? ["--keep-metadata"] : []) + journal
        // The query of a URL may be a signature, which must not be printed.
        let plain = target.isPlain ? words.map(ShellWord.quoted).joined(separator: " ") : nil
        let line = plain ?? "the same command with"
        return .init(
            publish: plain ?? "the same command",
            resume: "\(line) --resume",
            again: "\(line) --again",
            collect: (["calotype publish gc"] + journal.map(ShellWord.quoted)).joined(separator: " "),
            settle: (["calotype publish settle"] + journal.map(ShellWord.quoted)).joined(separator: " ")
        )
    }

    /// Reads a file or standard input; one byte more than the limit, to notice input that is too long.
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

    /// Returns the absolute path, because the post may be resumed from another folder.
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
