internal import CalotypeCore
internal import CalotypeHTTP

extension MastodonServer {
    /// What the server tells about itself; `nil` where it tells nothing.
    func instance() async throws -> MastodonInstance? {
        for path in ["/api/v2/instance", "/api/v1/instance"] {
            let answer = try await send(request(.get, path), to: "ask for the server's limits")
            if answer.isSuccess {
                // What is no such JSON is as good as no answer: the limits are unknown.
                if let instance = try? answer.json(MastodonInstance.self) { return instance }
            } else if answer.status >= 500, answer.status != 501 {
                throw failure(answer, to: "ask for the server's limits")
            }
        }
        return nil
    }

    /// The number of the account that the token belongs to; `nil` where the token does not allow to ask.
    ///
    /// - Throws: `unauthorized` for a token that the server does not take.
    func account() async throws -> String? {
        let answer = try await send(
            request(.get, "/api/v1/accounts/verify_credentials"),
            to: "ask for the account"
        )
        switch answer.status {
        case 200..<300: return try account(answer)
        // A token of an application instead of an account, and at snac2 any wrong one.
        case 422: throw unauthorized(answer)
        // A token may allow to publish and not to read; other reasons, such as a locked account, stop everything.
        case 403 where reason(answer)?.lowercased().contains("scope") == true: return nil
        default: throw failure(answer, to: "ask for the account")
        }
    }

    private func account(_ answer: PublishAnswer) throws(PublishFailure) -> String {
        do {
            return try answer.json(MastodonAccount.self).id.text
        } catch {
            let told = CalotypeError(
                .invalidDocument,
                "the server does not answer as one of the Mastodon API; check the destination's URL",
                stage: .response,
                url: answer.url.text,
                cause: error
            )
            throw PublishFailure(told, .none)
        }
    }
}
