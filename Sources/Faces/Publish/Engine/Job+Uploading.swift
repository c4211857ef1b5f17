internal import CalotypeCore
public import TaskFlow

extension Job<Void> {
    /// Brings one medium to the server, with as many attempts as its publisher makes.
    ///
    /// - Parameters:
    ///   - medium: One of the publication's media.
    ///   - publication: What it belongs to.
    /// - Returns: A job that ends when the server can use the medium; at once where it is there already.
    public static func uploading(_ medium: Publication.Medium, using publication: Publication) -> Job<Void> {
        Job<Void> {
            guard publication.media.contains(medium) else { throw Self.stranger("medium") }
            publication.progress.update { $0.stage = .uploading }
            try await publication.upload(medium.position)
        }
    }

    /// Publishes the post, when all its media are at the server.
    ///
    /// - Parameters:
    ///   - post: The publication's post.
    ///   - publication: What it belongs to.
    /// - Returns: A job that throws `media_missing` where a medium is not ready.
    public static func uploading(_ post: Post, using publication: Publication) -> Job<Void> {
        Job<Void> {
            guard publication.post == post else { throw Self.stranger("post") }
            try await publication.publishPost()
        }
    }

    /// Brings all media to the server, some at a time, and then publishes the post.
    ///
    /// - Parameters:
    ///   - publication: What is published.
    ///   - width: How many media are sent at a time; as many as the publication says where it is `nil`.
    /// - Returns: A job that ends when the post is published.
    package static func uploadingAll(of publication: Publication, width: Int? = nil) -> Job<Void> {
        let media = publication.media.map { Job.uploading($0, using: publication) }
        return .sequence([
            .group(media, width: width ?? publication.width),
            .uploading(publication.post, using: publication),
        ])
    }

    private static func stranger(_ what: String) -> CalotypeError {
        CalotypeError(.invalidRequest, "the \(what) does not belong to the publication", stage: .request)
    }
}
