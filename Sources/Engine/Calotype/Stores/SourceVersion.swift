import CalotypeCore
import CalotypeFiles
import CalotypeHTTP

/// A version of a source: what the origin said about it, and what shows whether it is still current.
package final class SourceVersion: Sendable {
    /// The head of the response that delivered the version, updated by each 304.
    let response: StoredResponse
    /// The URL that responded, after redirects: a validator means something only there.
    let url: String
    /// Whether a redirect led there that may lead elsewhere the next time.
    let isDetour: Bool
    /// Whether what is made from the version may be cached.
    package let isKeepable: Bool
    /// A random number for the download that delivered the version; it stays the same after a 304.
    private let download: Int

    /// Creates the version that `response` delivered, or that it confirmed to be `confirmed`.
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

    init(_ reader: inout RecordReader) throws(SystemError) {
        guard let response = StoredResponse(encoded: try reader.content()) else {
            throw .notARecord
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

    /// The value of `ETag`.
    package var entityTag: String? { response.validators.entityTag?.text }
    /// The value of `Last-Modified`, a date.
    package var lastModified: String? { response.validators.lastModified }
    /// The `Cache-Control` of the response.
    package var cacheControl: CacheControl { response.cacheControl }
    /// Whether the response named an end of its lifetime (`Expires`).
    package var hasExpiry: Bool { response.expiry != .unknown }

    /// Whether the origin said that there is nothing, temporarily or permanently.
    var isAbsence: Bool { response.status == 404 || response.status == 410 }

    /// The error for a source that is known to be absent.
    var absence: CalotypeError {
        CalotypeError(
            .http(status: response.status),
            "the origin returned \(response.status) a short time ago",
            stage: .store,
            url: url
        )
    }

    /// Whether both certainly have the same bytes, because they have the same download or entity tag.
    ///
    /// A date is not enough: it has a resolution of one second.
    func hasBytes(of other: SourceVersion) -> Bool {
        if download == other.download { return true }
        guard let tag = response.validators.entityTag else { return false }
        return url == other.url && tag == other.response.validators.entityTag
    }

    /// Whether both have the same bytes according to their validators.
    func isSame(as other: SourceVersion) -> Bool {
        let (mine, theirs) = (response.validators, other.response.validators)
        return url == other.url && !mine.isEmpty && mine == theirs
    }
}

extension SourceVersion: Hashable {
    package static func == (lhs: SourceVersion, rhs: SourceVersion) -> Bool {
        lhs.response == rhs.response && lhs.url == rhs.url && lhs.isDetour == rhs.isDetour
            && lhs.isKeepable == rhs.isKeepable
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(response)
        hasher.combine(url)
    }
}
