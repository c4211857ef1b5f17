import CalotypeCore
import CalotypePublish

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
