extension RouteTable {
    /// Small services, each under a prefix of its own, to which a client may be pointed as to the real one.
    static let services: [Route] = [
        Route(
            "/albums-api/albums/ID/photos",
            "The 50 photos of album 1 to 100 as JSON, as from JSONPlaceholder; ?broken=N spoils N of them.",
            content: AlbumService.photos
        ),
        Route(
            "/robots/NAME",
            "A face for a text, PNG, as from Robohash; ?set=set1 to set5, ?bgset=bg1, bg2, ?size=WxH up to 1024.",
            content: RobotService.picture
        ),
        Route(
            "/people/users/ID",
            "User 1 to 100 as JSON: name, avatar, pictures, cards; ?broken=N spoils the last N pictures.",
            content: PeopleService.user
        ),
        Route(
            "/people/users/ID/certificates",
            "The user's certificates as JSON, each with a picture.",
            content: PeopleService.certificates
        ),
        Route("/thumbs/thumbnails/ID", "Picture 1 to 1000.", content: ThumbnailService.picture),
        Route(
            "/thumbs/thumbnails/ID/metadata",
            "The width and height wanted for its thumbnail as JSON.",
            content: ThumbnailService.metadata
        ),
    ]
}

extension Route {
    /// A route whose answers the plan of faults applies to.
    init(
        _ pattern: String,
        _ summary: String,
        content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) {
        self.init(pattern, summary, script: { try await $0.site.answerUnderFaults($0, content) })
    }
}
