public import CalotypeCore
internal import CalotypeHTTP
public import TaskFlow

/// A publication in progress: what is already uploaded, and what remains to be done.
///
/// Get one from ``Publisher/withPublication(of:to:_:note:progress:_:)``. Its parts are separate jobs: upload
/// the media in any order, concurrently or not, and then the post.
public final class Publication: Sendable {
    /// One medium of the publication.
    public struct Medium: Hashable, Sendable {
        /// The medium's position in the post, from 0.
        public let position: Int
        /// The medium to publish.
        public let media: Media
    }

    /// The state of the publication in this run.
    struct Course {
        /// The media that are uploaded, by position.
        var ready: [Int: PostDraft.Medium] = [:]
        /// The positions of the media whose pixels were checked.
        var checked: Set<Int> = []
        /// Whether a picture turned out to be damaged.
        var hasDamage = false
        /// The state that the destination stored for each medium, by position.
        var remembered: [Int: RememberedState] = [:]
        /// The positions of the media that were uploaded by their only attempt.
        ///
        /// The server cannot carry out a request of another attempt later, because there was none.
        var sure: Set<Int> = []
        var rememberedOfPost = RememberedState.none
        /// When the post was first sent; `nil` if it cannot have reached the server.
        var sent: WallTime?
        var published: PublishedPost?

        /// Whether the post can use the medium.
        func isReady(_ position: Int) -> Bool { ready[position] != nil && checked.contains(position) }
    }

    /// The post to publish.
    public let post: Post
    /// The media, in the order of the post.
    public let media: [Medium]
    /// How many media to send concurrently, from the publisher's configuration or the destination.
    public let width: Int
    /// The publication's own key, a UUID.
    public var id: String { record.id }

    let record: PublicationRecord
    let plans: [PlannedMedium]
    let destination: any PublishDestination
    let publisher: Publisher
    let progress: PublishProgress
    let pacing: Pacing
    let maker: MediumMaker
    /// Disk space reserved for recording the outcome of the post.
    let room: JournalRoom
    let course: Guarded<Course>
    private let lock: Guarded<PublicationLock?>

    init(
        _ post: Post,
        plans: [PlannedMedium],
        limits: MediaLimits,
        record: PublicationRecord,
        lock: PublicationLock,
        opening: Opening
    ) {
        self.post = post
        self.plans = plans
        self.record = record
        self.lock = Guarded(lock)
        destination = opening.destination
        publisher = opening.publisher
        progress = opening.progress
        media = post.media.enumerated().map { Medium(position: $0, media: $1) }
        width = max(publisher.configuration.width ?? destination.width, 1)
        pacing = Pacing(publisher.configuration.clock, progress: progress)
        maker = MediumMaker(
            pipeline: publisher.pipeline,
            disk: publisher.disk,
            limits: limits,
            needsMD5: destination.needsMD5,
            keepsLocation: publisher.configuration.keepsLocation,
            folder: publisher.journal.files(of: record)
        )
        room = JournalRoom(in: publisher.journal.files(of: record), media: post.media.count)
        course = Guarded(Course(record))
    }

    /// Returns the published post.
    ///
    /// - Throws: `media_missing` until the post is published.
    public func result() throws(CalotypeError) -> PublishedPost {
        guard let post = course.withLock(\.published) else {
            throw CalotypeError(.mediaMissing, "the post is not published yet", stage: .request)
        }
        return post
    }

    /// Releases the lock, so that others can work on the publication while this object still exists.
    func release() {
        lock.withLock { $0 = nil }
    }

    /// Updates the reported state of one medium.
    func tell(_ position: Int, _ change: (inout PublishState.Item) -> Void) {
        progress.update { change(&$0.items[position]) }
    }
}

extension Publication.Course {
    fileprivate init(_ record: PublicationRecord) {
        for item in record.items { remembered[item.position] = item.remembered }
        rememberedOfPost = record.remembered
        sent = record.sent
        published =
            record.state == .posted ? record.result ?? PublishedPost(id: nil, url: nil, media: []) : nil
    }
}

extension Job<Void> {
    /// Uploads one medium, with as many attempts as the publisher allows.
    ///
    /// - Parameters:
    ///   - medium: One of the publication's media.
    ///   - publication: The publication that the medium belongs to.
    /// - Returns: A job that ends when the server can use the medium; immediately if it already can.
    public static func uploading(_ medium: Publication.Medium, using publication: Publication) -> Job<Void> {
        Job<Void> {
            guard publication.media.contains(medium) else { throw Self.stranger("medium") }
            publication.progress.update { $0.stage = .uploading }
            try await publication.upload(medium.position)
        }
    }

    /// Publishes the post once the server has all its media.
    ///
    /// - Parameters:
    ///   - post: The publication's post.
    ///   - publication: The publication that the post belongs to.
    /// - Returns: A job that throws `media_missing` if a medium is not ready.
    public static func uploading(_ post: Post, using publication: Publication) -> Job<Void> {
        Job<Void> {
            guard publication.post == post else { throw Self.stranger("post") }
            try await publication.publishPost()
        }
    }

    /// Uploads all media, several at a time, and then publishes the post.
    ///
    /// - Parameters:
    ///   - publication: The publication.
    ///   - width: How many media to send concurrently; `nil` for the publication's own width.
    /// - Returns: A job that ends when the post is published.
    package static func uploadingAll(of publication: Publication, width: Int? = nil) -> Job<Void> {
        let media = publication.media.map { Job.uploading($0, using: publication) }
        return .sequence([
            .group(media, width: width ?? publication.width),
            .uploading(publication.post, using: publication),
        ])
    }

    private static func stranger(_ what: String) -> CalotypeError {
        CalotypeError(.invalidRequest, "the \(what) does not belong to this publication", stage: .request)
    }
}
