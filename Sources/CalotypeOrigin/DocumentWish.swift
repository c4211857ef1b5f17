/// What a document of a service says other than usual, because the path asks for it.
struct DocumentWish: Sendable {
    /// Entries are missing what they should have, or have it wrong.
    var isOdd = false
    /// The fault that the pictures have which it names, such as `latency-500`.
    var pictureFault: String?

    /// Where the paths of pictures begin.
    func pictureRoot(_ site: Site) -> String {
        site.baseURL + (pictureFault.map { "\(ServiceFault.prefix)/\($0)" } ?? "")
    }
}
