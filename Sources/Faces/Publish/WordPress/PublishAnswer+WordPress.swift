internal import CalotypeCore

/// What WordPress says about a request that failed.
struct WordPressFault: Decodable {
    /// A stable word, such as `rest_cannot_create`.
    let code: String
    /// A sentence in the site's language.
    let message: String?
}

extension PublishAnswer {
    /// What WordPress says about the failure; `nil` where something else answered, such as a proxy.
    var wordPressFault: WordPressFault? {
        // No JSON is an answer too: from a proxy, or from PHP itself.
        isSuccess ? nil : try? json(WordPressFault.self)
    }

    /// What an answer that is no success means, by WordPress's own word where the status misleads.
    func wordPressFailure(_ doing: String) -> PublishFailure {
        let fault = wordPressFault
        let reason = Self.advice(fault?.code, status) ?? fault?.message.map(Self.plain)
        let failure = failure(doing, reason: reason.map { "\($0)" + (fault.map { " (\($0.code))" } ?? "") })
        switch fault?.code {
        // A 500, but about the file and not about the server: its type is not allowed. What names the folder of a month is
        // about the folder: the first uploads of a month that come at the same time fail over who makes it.
        case "rest_upload_sideload_error":
            let isAboutFolder = fault?.message?.contains(#//[0-9]{4}/[0-9]{2}/#) ?? false
            return PublishFailure(failure.error, isAboutFolder ? .retry : .none)
        // The bytes were damaged on their way; the next ones may not be.
        case "rest_upload_hash_mismatch": return PublishFailure(failure.error, .retry)
        // A 400, but about the database.
        case "db_insert_error": return PublishFailure(failure.error, .retry)
        default: return failure
        }
    }

    private static func advice(_ code: String?, _ status: Int) -> String? {
        switch (code, status) {
        case ("rest_not_logged_in", _):
            "the user name or the application password is wrong, or did not reach WordPress; application passwords need "
                + "https, and a web server that passes the Authorization header on"
        case ("incorrect_password", _), ("invalid_username", _), ("invalid_email", _):
            "the user name or the application password is wrong"
        case ("rest_upload_no_data", _): "no bytes arrived; PHP's post_max_size may be smaller than the file"
        case (_, 413): "the file is larger than the web server takes"
        case (nil, 401): "the credentials are not accepted, or the web server wants its own"
        default: nil
        }
    }

    /// WordPress's messages are a piece of HTML.
    private static func plain(_ message: String) -> String {
        var isTag = false
        return message.filter { character in
            defer { if character == ">" { isTag = false } }
            if character == "<" { isTag = true }
            return !isTag
        }
    }
}
