/// A way to load images; the raw values are those of the API.
enum LabWay: String, CaseIterable, Encodable, Sendable {
    case oneByOne, pairs, boundedGroup, group, tasks, callbacks
}

/// The settings of a run.
struct LabSettings: Hashable, Decodable, Sendable {
    /// The time that each origin waits before it responds, in milliseconds.
    var latency: Int
    /// The percentage of images that the origins do not have.
    var failures: Int
    /// The number of images that the bounded group loads at a time.
    var width: Int
    /// The fault at the start, if there is one.
    var fault: LabFault?

    /// Throws 400 if a value is out of its range.
    func check() throws(APIError) {
        let values = [
            ("latency", latency, 0...15_000), ("failures", failures, 0...100), ("width", width, 1...24),
        ]
        for (name, value, range) in values where !range.contains(value) {
            let text = "\(name) must be a whole number, \(range.lowerBound) to \(range.upperBound)"
            throw APIError(400, "invalid_request", text)
        }
    }
}

/// What the origins do wrong; the raw values are those of the API.
enum LabFault: String, CaseIterable, Decodable, Sendable {
    /// Bodies trickle.
    case slow
    /// Connections close in the middle of a body, and the engine requests the rest.
    case cut
    /// Each origin sends 429 after four images a second, and the engine waits as long as it asks.
    case busy
    /// The host's name does not resolve.
    case unknownHost
    /// All images have one host name instead of two, so they share the connections of one host.
    case oneHost

    /// Returns the URL of an image.
    ///
    /// - Parameters:
    ///   - image: The image's number.
    ///   - port: The origin's port.
    ///   - fault: The origin's fault, if it has one.
    ///   - settings: The settings of the run.
    /// - Returns: The URL, with the origin's path that has the fault.
    static func url(of image: Int, at port: Int, _ fault: LabFault?, _ settings: LabSettings) -> String {
        let missing = (LabAlbum.count * settings.failures + 50) / 100
        // 7 and 24 have no common divisor, so the missing ones are spread evenly.
        let isMissing = image * 7 % LabAlbum.count < missing
        let path =
            switch fault {
            case .slow: "/slow/2000/\(image).jpg"
            case .cut: "/cut-first/1/1024/\(image).jpg"
            case .busy: "/limited/4/\(image).jpg?retry-after=1"
            case nil, .unknownHost, .oneHost:
                isMissing ? "/status/404" : "/latency/\(settings.latency)/\(image).jpg"
            }
        let host =
            switch fault {
            case .unknownHost: "gone.invalid"
            case .oneHost: "127.0.0.1"
            default: image.isMultiple(of: 2) ? "127.0.0.1" : "localhost"
            }
        return "http://\(host):\(port)\(path)"
    }
}
