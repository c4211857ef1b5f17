import Calotype
import ExampleKit

/// Loads the content of a page: all of it, or an error.
struct PageLoader: Sendable {
    let pipeline: ImagePipeline

    func content(at url: String) async throws -> PageContent {
        let user = try await pipeline.json(User.self, at: url)

        // Two concurrent children; if one fails, the other is cancelled and awaited.
        let certificatesURL = "\(url.prefix { $0 != "?" })/certificates"
        async let avatar = pipeline.rendition(for: ImageRequest(user.avatar, .fit(64, 64), .png))
        async let certificates = pipeline.json([Certificate].self, at: certificatesURL)
        let (picture, list) = try await (avatar, certificates)

        let pictures = try await pictures(user.pictures)

        // Work that the user waits for: urgent, and useless once the user leaves the page.
        let cards = Task(priority: .userInitiated) { user.cards.map(Self.text) }
        let info = Task(priority: .userInitiated) { "\(user.name) <\(user.email)>" }
        let cardTexts = await cards.value
        try Task.checkCancellation()
        let infoText = await info.value
        try Task.checkCancellation()
        return PageContent(
            id: user.id,
            info: infoText,
            avatar: picture,
            certificates: list,
            pictures: pictures,
            cards: cardTexts
        )
    }

    /// Returns all pictures in order, or throws the first error, which cancels the rest.
    private func pictures(_ urls: [String]) async throws -> [Rendition] {
        try await withThrowingTaskGroup(of: (Int, Rendition).self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask { (index, try await pipeline.rendition(for: ImageRequest(url, .fill(96, 96)))) }
            }
            let pictures = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return urls.indices.compactMap { pictures[$0] }
        }
    }

    private static func text(of card: User.Card) -> String {
        "\(card.title) ••••\(card.number.suffix(3)), valid until \(card.validUntil)"
    }
}
