import Calotype

/// A user's JSON.
struct User: Decodable, Sendable {
    struct Card: Decodable, Sendable {
        let title: String
        let number: String
        let validUntil: String
    }

    let id: Int
    let name: String
    let email: String
    let avatar: String
    let pictures: [String]
    let cards: [Card]
}

/// An entry in the JSON of a user's certificates.
struct Certificate: Decodable, Sendable {
    let title: String
    let picture: String
}

/// The content of a page.
struct PageContent: Sendable {
    let id: Int
    let info: String
    let avatar: Rendition
    let certificates: [Certificate]
    let pictures: [Rendition]
    let cards: [String]
}
