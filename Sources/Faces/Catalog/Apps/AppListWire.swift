/// An App Store's answer: the count is of no use, since it may be anything.
struct AppListWire: Decodable {
    var results: [LenientElement<AppWire>]
}
