import CalotypeCore
import CalotypeHTTP
import CalotypePublish

/// A post that was ordered, as it is written down.
struct StoredPost: Codable, Hashable, Sendable {
    enum State: String, Codable, Hashable, Sendable {
        /// It is being published, or was when the server ended without a word.
        case running
        case published
        case failed
        case cancelled
        /// The server ended meanwhile; it can be resumed.
        case interrupted
        /// Whether it is published is not known; a resume finds out.
        case unknown

        /// Whether it may be resumed, and its files have to stay.
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
        /// The file's name, also when that is gone.
        let name: String
        let alt: String
    }

    let id: String
    let profile: String
    let text: String
    let visibility: String?
    let media: [Medium]
    /// Whether it is published once more where the same post was published before.
    let again: Bool
    /// In seconds since the start of 1970.
    let created: Int
    var state = State.running
    var url: String?
    var problem: String?
    /// The key of its publication in the publisher's journal, once there is one.
    var publication: String?
}

/// What has become of a publication, as it is written down.
struct PostEnding: Sendable {
    /// The server ended while a post was published.
    struct Interrupted: Error {}

    let state: StoredPost.State
    let url: String?
    let problem: String?

    init(_ result: Result<PublishedPost, any Error>, _ run: PostRun) {
        switch result {
        case .success(let post):
            (state, url, problem) = (.published, post.url, nil)
        case .failure(is Interrupted):
            (state, url, problem) = (.interrupted, nil, nil)
        case .failure(is CancellationError) where !run.isCancelled:
            (state, url, problem) = (.interrupted, nil, nil)
        case .failure(let error as CalotypeError) where error.code == .publishedNotRecorded:
            (state, url, problem) = (.published, error.url, error.message)
        case .failure(let error) where run.progress.current.stage == .unknown:
            (state, url) = (.unknown, nil)
            problem =
                "it is not known whether the post is published: \(Self.text(error)); resume it to find out"
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

/// A post as the API tells of it.
struct PostDocument: Encodable, Sendable {
    struct Medium: Encodable, Sendable {
        let file: String
        let name: String
        let alt: String
        @Nullable var src: String?
    }

    let id: String
    let profile: String
    let text: String
    let visibility: String?
    /// The moment as RFC 3339 writes it.
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
        visibility = post.visibility
        created = WallTime(secondsSince1970: post.created).internetText
        state = post.state.rawValue
        url = post.url
        problem = post.problem
        media = post.media.map { medium in
            Medium(
                file: medium.file,
                name: medium.name,
                alt: medium.alt,
                src: Nullable(wrappedValue: files[medium.file]?.src)
            )
        }
        _progress = Nullable(wrappedValue: entry.run.map { PublishStateDocument($0.progress.current) })
    }
}
