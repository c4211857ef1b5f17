public import CalotypeCore

extension ErrorCode {
    /// The server does not take such a post, or such a medium.
    public static let postRefused = ErrorCode(rawValue: "post_refused")
    /// The same post was published there before.
    public static let alreadyPublished = ErrorCode(rawValue: "already_published")
    /// The same post was begun there before, and can be resumed.
    public static let publishUnfinished = ErrorCode(rawValue: "publish_unfinished")
    /// The journal has nothing of the post that could be resumed.
    public static let nothingToResume = ErrorCode(rawValue: "nothing_to_resume")
    /// Another process works on the same publication.
    public static let publishBusy = ErrorCode(rawValue: "publish_busy")
    /// Whether the post is published cannot be found out now.
    public static let outcomeUnknown = ErrorCode(rawValue: "outcome_unknown")
    /// The post is published, and the journal could not be written to say so.
    public static let publishedNotRecorded = ErrorCode(rawValue: "published_not_recorded")
    /// What became of the post is known, so that nothing is to be settled.
    public static let outcomeKnown = ErrorCode(rawValue: "outcome_known")
    /// The server took a medium, and has something else at its place, or nothing.
    public static let notStored = ErrorCode(rawValue: "not_stored")
    /// The server lost an upload again and again.
    public static let uploadLost = ErrorCode(rawValue: "upload_lost")
    /// The server did not end its work on a medium in time.
    public static let processingTimeout = ErrorCode(rawValue: "processing_timeout")
    /// The server took a medium, and cannot use it.
    public static let processingFailed = ErrorCode(rawValue: "processing_failed")
    /// The server refuses the credentials.
    public static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// No WordPress answers at the site's address.
    public static let notWordPress = ErrorCode(rawValue: "not_wordpress")
    /// The site's address is another one.
    public static let siteMoved = ErrorCode(rawValue: "site_moved")
    /// The user may not do what publishing takes.
    public static let notAllowed = ErrorCode(rawValue: "not_allowed")
    /// The post was to be sent before all its media were ready, or its result asked for before it was published.
    public static let mediaMissing = ErrorCode(rawValue: "media_missing")
}
