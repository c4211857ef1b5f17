import CalotypeHTTP
import CalotypeOrigin
import CalotypePublish
import CalotypeTestKit

@testable import CalotypeApp

/// An origin that receives, and a folder, in which apps may be opened one after the other.
struct FixturePlace: Sendable {
    let origin: Origin
    let folder: String
    private let quiet: QuietCheck

    /// Runs `body` with an app that publishes to the origin's inbox, and to profiles of it that have the faults named.
    func open<Output>(
        faults: [String: String] = [:],
        configure: (inout AppConfiguration) -> Void = { _ in },
        _ body: (PublishingFixture) async throws -> Output
    ) async throws -> Output {
        try await LiveApp.serve(
            origin,
            quiet,
            configure: { app, origin in
                app.folder = folder
                app.profiles["inbox"] = try Self.profile(origin)
                for (name, fault) in faults { app.profiles[name] = try Self.profile(origin, fault) }
                configure(&app)
            }
        ) { app in
            try await body(PublishingFixture(app: app))
        }
    }

    private static func profile(_ origin: Origin, _ fault: String? = nil) throws -> PublishProfile {
        let address = DestinationAddress(.plain, try WebURL(origin.publishURL(fault: fault, "/inbox/")))
        var profile = PublishProfile(address)
        profile.postURL = try WebURL(origin.publishURL("/posts"))
        profile.settling = .key
        return profile
    }

    fileprivate init(_ origin: Origin, _ folder: String, _ quiet: QuietCheck) {
        self.origin = origin
        self.folder = folder
        self.quiet = quiet
    }
}

/// Runs `body` with a place for fixtures, and sees that nothing of them is left.
func withPublishingFixtures(_ body: (FixturePlace) async throws -> Void) async throws {
    try await withScratchFolder { folder in
        try await withQuietCheck { quiet in
            try await withOrigin(OriginConfiguration(pictures: PicturesInMemory([:]))) { origin in
                try await body(FixturePlace(origin, "\(folder)/app", quiet))
            }
        }
    }
}
