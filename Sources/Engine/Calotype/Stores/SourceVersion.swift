import CalotypeCore
import CalotypeFiles
import CalotypeHTTP

/// Which version of a source was had, and what tells whether it is still the current one.
final class SourceVersion: Sendable {
    /// The head of the answer it came with, brought up to date by each 304.
    let response: StoredResponse
    /// What answered, after redirects: a validator means something only there.
    let url: String
    /// Whether the way there had a redirect that may lead elsewhere the next time.
    let isDetour: Bool
    /// Whether it may be kept.
    let isKeepable: Bool
    /// The download that brought it, a random number: each 304 keeps it.
    private let download: Int

    /// Creates the version that `response` brought, or that it has confirmed to be the one of `confirmed`.
    init(
        response: StoredResponse,
        url: String,
        isDetour: Bool,
        isKeepable: Bool,
        confirming confirmed: SourceVersion? = nil
    ) {
        download = confirmed?.download ?? .random(in: 0...Int.max)
        self.response = response
        self.url = url
        self.isDetour = isDetour
        self.isKeepable = isKeepable
    }

    init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        guard let response = StoredResponse(encoded: try reader.content()) else {
            throw RecordReader.Damage()
        }
        self.response = response
        url = try reader.text()
        isDetour = try reader.flag()
        download = try reader.number()
        isKeepable = true
    }

    func write(to writer: inout RecordWriter) {
        writer.add(response.encoded)
        writer.add(url)
        writer.add(isDetour)
        writer.add(download)
    }

    /// Whether the origin said that there is nothing, for the time being or for good.
    var isAbsence: Bool { response.status == 404 || response.status == 410 }

    /// The error of a source that is known to be absent.
    var absence: CalotypeError {
        CalotypeError(
            .http(status: response.status),
            "the origin answered \(response.status) a short while ago",
            stage: .store,
            url: url
        )
    }

    /// Whether both are certainly the same bytes: from one download, or under one entity tag.
    ///
    /// A date does not tell: it has seconds only.
    func hasBytes(of other: SourceVersion) -> Bool {
        if download == other.download { return true }
        guard let tag = response.validators.entityTag else { return false }
        return url == other.url && tag == other.response.validators.entityTag
    }

    /// Whether both are the same bytes, as far as their validators tell.
    func isSame(as other: SourceVersion) -> Bool {
        let (mine, theirs) = (response.validators, other.response.validators)
        return url == other.url && !mine.isEmpty && mine == theirs
    }
}

extension SourceVersion: Hashable {
    static func == (lhs: SourceVersion, rhs: SourceVersion) -> Bool {
        lhs.response == rhs.response && lhs.url == rhs.url && lhs.isDetour == rhs.isDetour
            && lhs.isKeepable == rhs.isKeepable
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(response)
        hasher.combine(url)
    }
}
