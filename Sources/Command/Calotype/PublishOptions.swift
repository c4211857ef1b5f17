import Calotype
import CalotypeCommandLineKit
import CalotypePublish
import Glibc

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
