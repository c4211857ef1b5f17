internal import CalotypeCore

extension RequestRefusal {
    /// Status 404: path, option, preset or encoding make no sense.
    static func invalid(_ detail: String, _ code: ErrorCode = .invalidURL) -> RequestRefusal {
        RequestRefusal(404, "Invalid URL", code, detail)
    }

    /// Status 404: what is asked for is known, and not done.
    static func unsupported(_ what: String) -> RequestRefusal {
        invalid("\(what) not supported", .unsupportedOption)
    }

    /// Status 403: the option may not be set.
    static func forbidden(_ detail: String) -> RequestRefusal {
        RequestRefusal(403, "Invalid URL", .forbiddenOption, detail)
    }

    /// Status 403: the signature is not right.
    static func unsigned(_ detail: String) -> RequestRefusal {
        RequestRefusal(403, "Forbidden", .invalidSignature, detail)
    }

    /// Status 404: the source may not be asked.
    static func blockedSource(_ detail: String) -> RequestRefusal {
        RequestRefusal(404, "Invalid source URL", .blockedSource, detail)
    }

    /// Status 404: nobody here speaks with such a source.
    static func unreachable(_ detail: String) -> RequestRefusal {
        RequestRefusal(404, "Source is unreachable", .unsupportedScheme, detail)
    }

    /// Status 422: no picture of such a format is made.
    static func unsupportedFormat(_ detail: String) -> RequestRefusal {
        RequestRefusal(422, "Invalid URL", .unsupportedFormat, detail)
    }

    /// `text` as it is shown in a detail: its beginning only, without passwords, in quotes.
    static func quoted(_ text: some StringProtocol) -> String {
        let text = URLCredentials.removed(in: String(text))
        return text.utf8.count > 64 ? "'\(text.prefix(64))...'" : "'\(text)'"
    }
}
