public import CalotypeHTTP

/// A server to publish to, and all that is needed there.
public struct PublishProfile: Hashable, Sendable {
    /// The server.
    public var address: DestinationAddress
    /// What it asks.
    public var credentials: PublishCredentials
    /// Where the post goes, for servers that take media only.
    public var postURL: WebURL?
    /// How it is found out whether a post has arrived whose answer was lost; the kind's own way where `nil`.
    public var settling: PostSettling?
    /// How many media are sent at a time; the server's own number where `nil`.
    public var width: Int?
    /// Whether `http` may be spoken with other machines than this one.
    public var allowsHTTP = false

    /// Creates the profile of a server.
    public init(_ address: DestinationAddress, _ credentials: PublishCredentials = PublishCredentials()) {
        self.address = address
        self.credentials = credentials
    }
}
