import CalotypeHTTPMessages

/// Users with pictures, cards and certificates.
enum PeopleService {
    static let users = 1...100
    static let picturesPerUser = 6

    private struct User: Encodable {
        let id: Int
        let name: String
        let email: String
        let avatar: String
        let pictures: [String]
        let cards: [Card]
    }

    private struct Card: Encodable {
        let title: String
        let number: String
        let validUntil: String
    }

    private struct Certificate: Encodable {
        let id: Int
        let title: String
        let picture: String
    }

    static let user: @Sendable (Call) throws -> ServedPicture = { call in
        let id = try call.id(in: users)
        let broken = try call.count("broken", in: 0...picturesPerUser)
        let name = SampleWords.name(id)
        let avatar = "/robots/\(PercentEscapes.encodedPath(name)).png?set=set5&bgset=bg1&size=128x128"
        return try .json(
            User(
                id: id,
                name: name,
                email: "user\(id)@example.com",
                avatar: call.site.baseURL + avatar,
                pictures: pictures(call.site, id, broken),
                cards: cards(id)
            )
        )
    }

    static let certificates: @Sendable (Call) throws -> ServedPicture = { call in
        let id = try call.id(in: users)
        let titles = ["First aid", "Swimming", "Darkroom work"].prefix(1 + id % 3)
        return try .json(
            titles.enumerated().map { index, title in
                let path = call.site.picturePath(number: id + 31 * (index + 1))
                return Certificate(
                    id: id * 10 + index,
                    title: title,
                    picture: "\(call.site.baseURL)\(path)?certificate=\(id * 10 + index)"
                )
            }
        )
    }

    /// The last pictures fail, so that a client that shows pictures as they arrive has some to show.
    private static func pictures(_ site: Site, _ user: Int, _ broken: Int) -> [String] {
        (0..<picturesPerUser).map { index in
            let number = (user - 1) * picturesPerUser + index + 1
            let isBroken = index >= picturesPerUser - broken
            let path = isBroken ? site.brokenPath(number: number) : site.picturePath(number: number)
            return "\(site.baseURL)\(path)?user=\(user)&picture=\(index + 1)"
        }
    }

    private static func cards(_ user: Int) -> [Card] {
        ["Library", "Swimming pool", "Museum"].prefix(1 + user % 3).enumerated().map { index, title in
            let number = (user * 7919 + index * 104_729) % 1_000_000
            return Card(title: title, number: "\(1_000_000 + number)", validUntil: "20\(30 + index)-12-31")
        }
    }
}

/// The name or title that belongs to a number.
enum SampleWords {
    private static let firstNames = [
        "Ada", "Björn", "Chidi", "Dalia", "Emre", "Fátima", "Goro", "Hanna", "Ivo", "Jana",
    ]
    private static let lastNames = [
        "Ahlgren", "Brandt", "Costa", "Dvořák", "Eze", "Fujita", "Grünwald", "Horák", "Ito",
    ]
    private static let qualities = [
        "quiet", "bright", "sunny", "distant", "broad", "gentle", "steep", "misty",
    ]
    private static let things = [
        "harbour", "meadow", "street", "ridge", "garden", "shore", "bridge", "window", "field",
    ]

    /// The name of a person.
    static func name(_ number: Int) -> String {
        "\(firstNames[number % firstNames.count]) \(lastNames[number % lastNames.count])"
    }

    /// The title of a picture.
    static func title(_ number: Int) -> String {
        "a \(qualities[number % qualities.count]) \(things[number % things.count])"
    }
}
