/// What a document of a service says other than usual, because the path asks for it.
struct DocumentWish: Sendable {
    /// Entries lack what they should have, or have it wrong, each in another way; the first in the way of this number.
    var oddity: Int?
    /// The fault that the pictures have which it names, such as `latency-500`.
    var pictureFault: String?

    /// Where the paths of pictures begin.
    func pictureRoot(_ site: Site) -> String {
        site.baseURL + (pictureFault.map { "\(ServiceFault.prefix)/\($0)" } ?? "")
    }
}
