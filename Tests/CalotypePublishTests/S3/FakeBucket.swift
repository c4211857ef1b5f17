import CalotypeCore
import CalotypeDigests
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

@testable import CalotypePublish

/// A bucket in memory that goes by what requests say of their bodies, with faults where a test wants them.
final class FakeBucket: Sendable {
    struct Object: Sendable {
        var size: Int
        var tag: String
        var sha256: String?
    }

    struct Upload: Sendable {
        var key: String
        var sha256: String?
        var parts: [Int: Object] = [:]
    }

    struct State: Sendable {
        var objects: [String: Object] = [:]
        var uploads: [String: Upload] = [:]
        var begun = 0
        /// The parts that came, in order, also those that came again.
        var receivedParts: [Int] = []
    }

    /// What to answer instead of what the bucket would; `nil` for what it would.
    typealias Fault = @Sendable (HTTPRequest) -> ScriptedResponse?

    let transport: ScriptedTransport
    private let state = Guarded(State())
    private let faults = Guarded<[(times: Int, fault: Fault)]>([])

    init(clock: any Clock<Duration> = ContinuousClock()) {
        transport = ScriptedTransport(clock: clock)
        transport.answer { [weak self] request in self?.answer(request) }
    }

    var now: State { state.withLock { $0 } }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Answers the next `times` requests that `fault` has an answer for.
    func fail(_ times: Int = 1, _ fault: @escaping Fault) {
        faults.withLock { $0.append((times, fault)) }
    }

    /// The requests without their signatures, such as `PUT /pictures/a?partNumber=1`.
    var log: [String] {
        transport.requests.map { request in
            "\(request.method) " + request.url.text.dropFirst("http://s3.test".count)
        }
    }

    private func answer(_ request: HTTPRequest) -> ScriptedResponse {
        let candidates = faults.withLock {
            $0.enumerated().filter { $0.element.times > 0 }.map { ($0.offset, $0.element.fault) }
        }
        for (index, fault) in candidates {
            guard let answer = fault(request) else { continue }
            faults.withLock { $0[index].times -= 1 }
            return answer
        }
        return state.withLock { Self.answer(request, &$0) }
    }

    private static func answer(_ request: HTTPRequest, _ state: inout State) -> ScriptedResponse {
        let parts = request.url.text.dropFirst("http://s3.test/pictures".count).split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let key = String(parts[0].dropFirst())
        let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1)
            return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
        }
        let query = Dictionary(pairs) { $1 }
        if let id = query["uploadId"] { return uploads(request, key, id, query, &state) }
        switch request.method {
        case .head: return head(state.objects[key])
        case .put: return put(request, key, &state)
        case .delete:
            state.objects[key] = nil
            return .status(204)
        case .post where query["uploads"] != nil: return create(request, key, &state)
        case .get where query["uploads"] != nil:
            let list = state.uploads.sorted { $0.key < $1.key }
                .map { "<Upload><Key>\($0.value.key)</Key><UploadId>\($0.key)</UploadId></Upload>" }
            return xml("<ListMultipartUploadsResult>\(list.joined())</ListMultipartUploadsResult>")
        case .get: return xml("<ListBucketResult/>")
        default: return .status(405)
        }
    }

    // MARK: Objects

    private static func head(_ object: Object?) -> ScriptedResponse {
        guard let object else { return .status(404) }
        let tag = "\"\(object.tag)\""
        return ScriptedResponse(
            headers: object.sha256.map { ["ETag": tag, "x-amz-meta-sha256": $0] } ?? ["ETag": tag],
            length: .other(ByteCount(object.size))
        )
    }

    private static func put(_ request: HTTPRequest, _ key: String, _ state: inout State) -> ScriptedResponse {
        if request.headers["If-None-Match"] == "*", state.objects[key] != nil {
            return error(412, "PreconditionFailed")
        }
        var object = object(request)
        object.sha256 = request.headers["x-amz-meta-sha256"]
        state.objects[key] = object
        return .status(200, headers: ["ETag": "\"\(object.tag)\""])
    }

    private static func object(_ request: HTTPRequest) -> Object {
        let digest = Data(base64Encoded: request.headers["Content-MD5"] ?? "") ?? Data()
        return Object(size: request.body.length.bytes, tag: Hexadecimal.text(digest))
    }

    // MARK: Uploads

    private static func create(
        _ request: HTTPRequest,
        _ key: String,
        _ state: inout State
    ) -> ScriptedResponse {
        state.begun += 1
        let id = "upload-\(state.begun)"
        state.uploads[id] = Upload(key: key, sha256: request.headers["x-amz-meta-sha256"])
        return xml(
            "<InitiateMultipartUploadResult><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>"
        )
    }

    private static func uploads(
        _ request: HTTPRequest,
        _ key: String,
        _ id: String,
        _ query: [String: String],
        _ state: inout State
    ) -> ScriptedResponse {
        guard let upload = state.uploads[id], upload.key == key else { return error(404, "NoSuchUpload") }
        switch request.method {
        case .put:
            let number = Int(query["partNumber"] ?? "") ?? 0
            let part = object(request)
            state.uploads[id]?.parts[number] = part
            state.receivedParts.append(number)
            return .status(200, headers: ["ETag": "\"\(part.tag)\""])
        case .get: return list(upload, after: Int(query["part-number-marker"] ?? "") ?? 0)
        case .delete:
            state.uploads[id] = nil
            return .status(204)
        default:
            if request.headers["If-None-Match"] == "*", state.objects[key] != nil {
                return error(412, "PreconditionFailed")
            }
            let parts = upload.parts.sorted { $0.key < $1.key }.map(\.value)
            let digests = parts.map { Digest(bytes: Hexadecimal.bytes($0.tag) ?? []) }
            let tag = (try? ObjectTag(parts: digests).text) ?? ""
            state.uploads[id] = nil
            let size = parts.reduce(0) { $0 + $1.size }
            state.objects[key] = Object(size: size, tag: tag, sha256: upload.sha256)
            return xml(
                "<CompleteMultipartUploadResult><ETag>&quot;\(tag)&quot;</ETag></CompleteMultipartUploadResult>"
            )
        }
    }

    /// Two to a page.
    private static func list(_ upload: Upload, after marker: Int) -> ScriptedResponse {
        let rest = upload.parts.sorted { $0.key < $1.key }.filter { $0.key > marker }
        let page = rest.prefix(2)
        let parts = page.map { number, part in
            "<Part><PartNumber> \(number) </PartNumber><ETag>&quot;\(part.tag)&quot;</ETag><Size>\(part.size)</Size></Part>"
        }
        let next = "<NextPartNumberMarker>\(page.last?.key ?? 0)</NextPartNumberMarker>"
        // Not all servers call it ListPartsResult.
        return xml(
            "<ListPartsResponse><IsTruncated>\(rest.count > 2)</IsTruncated>\(next)\(parts.joined())</ListPartsResponse>"
        )
    }

    // MARK: Answers

    static func xml(_ text: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(status: status, body: [.bytes(Array("<?xml version=\"1.0\"?>\n\(text)".utf8))])
    }

    static func error(
        _ status: Int,
        _ code: String,
        _ message: String = "",
        headers: KeyValuePairs<String, String> = [:]
    ) -> ScriptedResponse {
        let body = "\n \n<Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
        return ScriptedResponse(status: status, headers: headers, body: [.bytes(Array(body.utf8))])
    }
}
