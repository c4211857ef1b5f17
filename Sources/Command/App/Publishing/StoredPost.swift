import CalotypeCore
import CalotypeHTTP
import CalotypePublish

/// A stored post of the app.
struct StoredPost: Codable, Hashable, Sendable {
    enum State: String, Codable, Hashable, Sendable {
        /// The post is being published, or was when the server ended unexpectedly.
        case running
        case published
        case failed
        case cancelled
        /// The server shut down first; the post can be resumed.
        case interrupted
        /// The outcome is unknown; resuming the post determines it.
        case unknown

        /// Whether the post can be resumed, so that its files must be stored.
        var isOpen: Bool {
            switch self {
            case .running, .failed, .interrupted, .unknown: true
            case .published, .cancelled: false
            }
        }
    }

    struct Medium: Codable, Hashable, Sendable {
        /// The file's identifier.
        let file: String
        /// The file's name, even if the file is gone.
        let name: String
        let alt: String
        /// Two numbers: see ``Media/Focus``.
        let focus: [Double]?
    }

    let id: String
    let profile: String
    let text: String
    let contentWarning: String?
    let visibility: String?
    let language: String?
    /// When the server is to show the post, in seconds since 1970.
    let schedule: Int?
    let media: [Medium]
    /// Whether to publish again if the same post was already published.
    let again: Bool
    /// The time in seconds since 1970.
    let created: Int
    var state = State.running
    var url: String?
    var problem: String?
    /// The key of its publication in the publisher's journal, if it has one.
    var publication: String?
}

/// The outcome of a publication, as it is stored.
struct PostEnding: Sendable {
    let state: StoredPost.State
    let url: String?
    let problem: String?

    init(_ result: Result<PublishedPost, any Error>, _ run: PostRun) {
        switch result {
        case .success(let post):
            (state, url, problem) = (.published, post.url, nil)
        case .failure(let error as APIError) where error == .serverEnds:
            (state, url, problem) = (.interrupted, nil, nil)
        case .failure(is CancellationError) where !run.isCancelled:
            (state, url, problem) = (.interrupted, nil, nil)
        case .failure(let error as CalotypeError) where error.code == .publishedNotRecorded:
            (state, url, problem) = (.published, error.url, error.message)
        case .failure(let error) where run.progress.current.stage == .unknown:
            (state, url) = (.unknown, nil)
            problem =
                "the outcome is unknown: \(Self.text(error)); resume the post to check"
        case .failure(is CancellationError):
            (state, url, problem) = (.cancelled, nil, nil)
        case .failure(let error):
            (state, url, problem) = (.failed, nil, Self.text(error))
        }
    }

    func apply(to post: inout StoredPost) {
        post.state = state
        post.url = url
        post.problem = problem
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "it was cancelled"
        case let error as CalotypeError: error.message
        default: "\(error)"
        }
    }
}

/// A post in the API.
struct PostDocument: Encodable, Sendable {
    struct Medium: Encodable, Sendable {
        let file: String
        let name: String
        let alt: String
        let focus: [Double]?
        @Nullable var src: String?
    }

    let id: String
    let profile: String
    let text: String
    let contentWarning: String?
    let visibility: String?
    let language: String?
    /// The times in the format of RFC 3339.
    let schedule: String?
    let created: String
    let state: String
    let url: String?
    let problem: String?
    let media: [Medium]
    @Nullable var progress: PublishStateDocument?

    init(_ entry: PostShelf.Entry, _ files: FileShelf) {
        let post = entry.post
        id = post.id
        profile = post.profile
        text = post.text
        contentWarning = post.contentWarning
        visibility = post.visibility
        language = post.language
        schedule = post.schedule.map { WallTime(secondsSince1970: $0).internetText }
        created = WallTime(secondsSince1970: post.created).internetText
        state = post.state.rawValue
        url = post.url
        problem = post.problem
        media = post.media.map { medium in
            Medium(
                file: medium.file,
                name: medium.name,
                alt: medium.alt,
                focus: medium.focus,
                src: Nullable(wrappedValue: files[medium.file]?.src)
            )
        }
        _progress = Nullable(wrappedValue: entry.run.map { PublishStateDocument($0.progress.current) })
    }
}
