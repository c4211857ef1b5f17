import Calotype
import CalotypePublish
import CommandLineKit
import Glibc

/// The options of the commands that publish.
enum PublishOptions {
    static let to = Option(
        "to",
        .text("URL|PROFILE"),
        "The server, or the profile that has it."
    )
    static let postTo = Option(
        "post-to",
        .text("URL"),
        "Where the post goes, as JSON, when its media are at a plain or a tus server."
    )
    static let settle = Option(
        "settle",
        .text("key|ask|URL"),
        default: "ask",
        """
        What is done when the answer to the post is lost at a plain or tus server: key sends it again with the same \
        Idempotency-Key; ask leaves it to you to look; a URL with {key} in it is asked, and answers with the post as JSON, or with \
        404 where there is no such post.
        """
    )
    static let width = Option(
        "width",
        .integer(1...64),
        default: "the server's",
        "The most media that are sent at a time."
    )
    static let allowHTTP = Flag(
        "allow-http",
        "Speak http with other machines than this one, though all on the way can read it."
    )
    static let server = Command.Group("Server", [to, postTo, settle, width, allowHTTP])

    static let dryRun = Flag("dry-run", "Look at the media, ask the server what it takes, and send nothing.")
    static let keepMetadata = Flag(
        "keep-metadata",
        "Leave the GPS position in photos; without this flag they are sent without it, and else as they are."
    )
    static let resume = Flag(
        "resume",
        "Go on where the same post came to before, or fail if it was never begun; without POST.json, go on with all that is unfinished."
    )
    static let again = Flag("again", "Publish although the same post was published or begun there before.")
    static let journal = Option(
        "journal",
        .text("DIR"),
        default: "$XDG_STATE_HOME/calotype/publish",
        "The folder where it is written down what was begun."
    )
    static let run = Command.Group("Run", [dryRun, keepMetadata, resume, again, journal])

    static let json = Flag("json", "Print the result as one JSON object on standard output.")
    static let progress = Option(
        "progress",
        .choice(["json": ProgressLine.Style.json]),
        "Print each state as a JSON object on a line of standard output, for programs."
    )
    static let quiet = Flag("quiet", short: "q", "Show neither progress nor summary.")
    static let display = Command.Group("Display", [json, progress, quiet])

    static let network = Command.Group(
        "Network",
        [NetworkOptions.userAgent, NetworkOptions.proxy, NetworkOptions.caFile]
    )

    /// The target that was given, if one was.
    static func target(_ arguments: ParsedArguments) -> PublishTarget? {
        guard let to = arguments[to] else { return nil }
        var target = PublishTarget(to: to)
        target.postTo = arguments[postTo]
        target.settle = arguments[settle]
        target.allowsHTTP = arguments[allowHTTP]
        return target
    }

    /// The journal's folder.
    static func journalFolder(_ arguments: ParsedArguments) throws(UsageError) -> String {
        if let folder = arguments[journal] { return folder }
        // The specification of XDG's folders says to ignore a path that is not absolute.
        let state = EnvironmentVariables.value(of: "XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = EnvironmentVariables.value(of: "HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let folder = state ?? home.map({ "\($0)/.local/state" }) else {
            throw PublishCommand.error("there is no home folder for a journal; name a folder with --journal")
        }
        return "\(folder)/calotype/publish"
    }

    /// A pipeline that keeps nothing: what it makes goes to a server.
    static func pipeline(_ arguments: ParsedArguments) -> PipelineConfiguration {
        var configuration = NetworkOptions.configuration(arguments)
        configuration.memoryCache = .none
        return configuration
    }
}
