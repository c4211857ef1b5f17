public import CalotypeCore
internal import CalotypeHTTP
public import TaskFlow

/// A post on its way: what is up already, and what is to be done.
///
/// Get one from ``Publisher/withPublication(of:to:_:note:progress:_:)``. Its parts are jobs of their own: bring up the media in any order, at
/// the same time or not, then the post.
public final class Publication: Sendable {
    /// One medium of the publication.
    public struct Medium: Hashable, Sendable {
        /// Its place in the post, from 0.
        public let position: Int
        /// What it is.
        public let media: Media
    }

    /// What becomes of the publication in this run.
    struct Course {
        /// The media that are ready, by their place.
        var ready: [Int: PostDraft.Medium] = [:]
        /// What the destination remembered, by the place of the medium.
        var remembered: [Int: RememberedState] = [:]
        /// The places of the media that their only attempt ever has brought up: no request of another one can be carried out later.
        var sure: Set<Int> = []
        var rememberedOfPost = RememberedState.none
        /// When the post was first sent, if that may have arrived.
        var sent: WallTime?
        var published: PublishedPost?
    }

    /// What is published.
    public let post: Post
    /// Its media, in the order of the post.
    public let media: [Medium]
    /// How many of them are to be sent at a time, as the publisher's configuration or the destination says.
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
    /// Room for what becomes of the post.
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

    /// The published post.
    ///
    /// - Throws: `media_missing` as long as it is not published.
    public func result() throws(CalotypeError) -> PublishedPost {
        guard let post = course.withLock(\.published) else {
            throw CalotypeError(.mediaMissing, "the post is not published yet", stage: .request)
        }
        return post
    }

    /// Lets others work on it, though somebody may still hold the publication.
    func release() {
        lock.withLock { $0 = nil }
    }

    /// Changes what is told of one medium.
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
