import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit

@testable import CalotypePublish

/// Tests that publish drafts at a scripted server of Mastodon's API.
protocol MastodonPosting {
    var server: ScriptedServer { get }
}

extension MastodonPosting {
    static var now: WallTime { WallTime(secondsSince1970: 1_800_000_000) }
    static var statuses: String { "POST /api/v1/statuses" }
    static var published: ScriptedResponse { .json(#"{"id": "42", "url": "https://social.test/@ada/42"}"#) }

    func draft(_ text: String = "Cats & dogs", ids: [String] = ["9", "7"]) -> PostDraft {
        .sample(text, ids: ids)
    }

    func publish(
        _ draft: PostDraft,
        mayHaveBeenSent: Bool = false,
        firstSent: WallTime? = nil,
        _ isConfirmed: Recorder<Bool> = Recorder()
    ) async throws -> PublishedPost {
        let session = PostSession(
            client: server.client(now: Self.now),
            key: "0f-1",
            mayHaveBeenSent: mayHaveBeenSent,
            firstSent: firstSent,
            remember: { _ in },
            confirmNotPublished: { isConfirmed.record(true) }
        )
        return try await MastodonDestination(server: server.url, token: Secret("hunter2"))
            .publish(draft, session)
    }
}

extension PostDraft {
    /// A draft whose media have these ids.
    static func sample(_ text: String, ids: [String]) -> PostDraft {
        let media = ids.enumerated().map { position, id in
            let file = SourceFile(path: "/x", size: ByteCount(1), modified: 0, sha256: "", md5: "")
            return PostDraft.Medium(
                PreparedMedium(position: position, name: id, file: file, type: MediaType("image/png")),
                UploadedMedium(id: id, url: "https://cdn.test/\(id)")
            )
        }
        return PostDraft(Post(text), media: media)
    }
}

extension ScriptedServer {
    /// The first question for the account's posts.
    static let search = "GET /api/v1/accounts/1/statuses?limit=40"

    /// Answers the questions of a search.
    func answerSearch(_ statuses: String) {
        on("GET /api/v1/accounts/verify_credentials", .json(#"{"id": "1"}"#))
        on(Self.search, .json(statuses))
    }
}
