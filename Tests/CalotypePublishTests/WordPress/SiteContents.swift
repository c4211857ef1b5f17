import CalotypeDigests
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials

/// What a WordPress site has, and what it does when it is asked.
struct SiteContents: Sendable {
    struct Medium: Codable, Sendable {
        let id: Int
        let slug: String
        var source_url: String
        var alt_text = ""
        var post: Int?
        var missing_image_sizes: [String] = []
        var length: Int
        var disposition: String
        var title: String
    }

    struct Entry: Codable, Sendable {
        let id: Int
        var slug: String
        var status: String
        var link: String
        var content: String
        var featured_media: Int
        var date_gmt: String?
    }

    private struct Sent: Decodable {
        var status: String?
        var slug: String?
        var content: String?
        var featured_media: Int?
        var date_gmt: String?
    }

    private struct Changes: Decodable {
        var alt_text: String?
        var post: Int?
    }

    var media: [Medium] = []
    var posts: [Entry] = []
    var capabilities = #"{"upload_files": true, "publish_posts": true}"#
    private var last = 10

    static func refusal(_ status: Int, _ code: String, _ message: String = "No.") -> ScriptedResponse {
        answer(
            #"{"code": "\#(code)", "message": "\#(message)", "data": {"status": \#(status)}}"#,
            status: status
        )
    }

    static func answer(_ json: String, status: Int = 200) -> ScriptedResponse {
        ScriptedResponse(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: [.bytes(Array(json.utf8))]
        )
    }

    private static func answer(_ value: some Encodable, status: Int = 200) -> ScriptedResponse {
        guard let json = try? JSONEncoder().encode(value) else { return .status(599) }
        return answer(String(decoding: json, as: UTF8.self), status: status)
    }

    mutating func respond(_ call: SiteCall) -> ScriptedResponse {
        switch call.name {
        case "GET wp/v2/users/me": Self.answer(#"{"id": 1, "capabilities": \#(capabilities)}"#)
        case "POST wp/v2/media": store(call)
        case "GET wp/v2/media": Self.answer(media.filter { call.slugs.contains($0.slug) })
        case "GET wp/v2/media/*", "POST wp/v2/media/*", "POST wp/v2/media/*/post-process":
            change(medium: call)
        case "POST wp/v2/posts": create(call)
        case "GET wp/v2/posts": list(call)
        case "GET wp/v2/posts/*", "POST wp/v2/posts/*": change(post: call)
        case "DELETE wp/v2/media/*", "DELETE wp/v2/posts/*": remove(call)
        default: Self.refusal(404, "rest_no_route")
        }
    }

    private mutating func store(_ call: SiteCall) -> ScriptedResponse {
        guard let disposition = call.headers["Content-Disposition"] else {
            return Self.refusal(400, "rest_upload_no_content_disposition")
        }
        guard let digest = try? Digest(.md5, of: call.body), call.headers["Content-MD5"] == digest.hexadecimal
        else {
            return Self.refusal(412, "rest_upload_hash_mismatch")
        }
        last += 1
        let medium = Medium(
            id: last,
            slug: Self.free(call.query["slug"] ?? "file", media.map(\.slug)),
            source_url: "https://blog.test/files/\(last).jpg",
            length: call.body.count,
            disposition: disposition,
            title: call.query["title"] ?? ""
        )
        media.append(medium)
        return Self.answer(medium, status: 201)
    }

    private static func free(_ slug: String, _ taken: [String]) -> String {
        ([slug] + (2...9).map { "\(slug)-\($0)" }).first { !taken.contains($0) } ?? slug
    }

    private mutating func change(medium call: SiteCall) -> ScriptedResponse {
        guard let index = media.firstIndex(where: { $0.id == call.id }) else {
            return Self.refusal(404, "rest_post_invalid_id")
        }
        let changes = call.json(Changes.self)
        if let altText = changes?.alt_text { media[index].alt_text = altText }
        if let post = changes?.post { media[index].post = post }
        if call.path.hasSuffix("post-process") { media[index].missing_image_sizes = [] }
        return Self.answer(media[index])
    }

    private mutating func create(_ call: SiteCall) -> ScriptedResponse {
        guard let sent = call.json(Sent.self), let content = sent.content else {
            return Self.refusal(400, "empty_content")
        }
        last += 1
        let entry = Entry(
            id: last,
            slug: Self.free(sent.slug ?? "", posts.map(\.slug)),
            status: sent.status ?? "draft",
            link: "https://blog.test/?p=\(last)",
            content: content,
            featured_media: sent.featured_media ?? 0
        )
        posts.append(entry)
        return Self.answer(entry, status: 201)
    }

    private func list(_ call: SiteCall) -> ScriptedResponse {
        let states = (call.query["status"] ?? "publish").split(separator: ",").map(String.init)
        return Self.answer(posts.filter { call.slugs.contains($0.slug) && states.contains($0.status) })
    }

    private mutating func change(post call: SiteCall) -> ScriptedResponse {
        guard let index = posts.firstIndex(where: { $0.id == call.id }) else {
            return Self.refusal(404, "rest_post_invalid_id")
        }
        if let sent = call.json(Sent.self) {
            posts[index].status = sent.status ?? posts[index].status
            posts[index].content = sent.content ?? posts[index].content
            posts[index].date_gmt = sent.date_gmt
            posts[index].link = "https://blog.test/2026/\(posts[index].slug)/"
        }
        return Self.answer(posts[index])
    }

    private mutating func remove(_ call: SiteCall) -> ScriptedResponse {
        guard call.query["force"] == "true" else { return Self.refusal(501, "rest_trash_not_supported") }
        let count = media.count + posts.count
        media.removeAll { $0.id == call.id }
        posts.removeAll { $0.id == call.id }
        let isThere = media.count + posts.count < count
        return isThere ? Self.answer(#"{"deleted": true}"#) : Self.refusal(404, "rest_post_invalid_id")
    }
}
