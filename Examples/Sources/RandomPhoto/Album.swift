/// A photo in an album's JSON.
struct Photo: Decodable {
    let id: Int
    let title: String
    let url: String
}
