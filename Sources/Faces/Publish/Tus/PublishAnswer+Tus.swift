internal import CalotypeCore
internal import CalotypeHTTP

extension PublishAnswer {
    /// What an answer means that tus gives no meaning of its own, with the server's words.
    func tusFailure(_ doing: String) -> PublishFailure {
        failure(doing, reason: tusReason)
    }

    /// The server does not have the upload any more.
    func tusLoss() -> PublishFailure {
        let error = CalotypeError(
            .http(status: status),
            "the server does not have the upload any more: it answered \(status)",
            stage: .response,
            url: url.text
        )
        return PublishFailure(error, .startOver)
    }

    /// The answer is none that a tus server gives.
    func tusMisfit(_ what: String, _ remedy: PublishFailure.Remedy) -> PublishFailure {
        let error = CalotypeError(
            .protocolError,
            "this is not how a tus server answers: \(what); check the URL, which often ends with a slash",
            stage: .response,
            url: url.text
        )
        return PublishFailure(error, remedy)
    }

    private var tusReason: String? {
        if status == 404 || status == 405 {
            return "check that this is the URL of a tus server, with or without a slash"
        }
        if status == 412, let versions = headers["Tus-Version"] { return "it speaks tus \(versions)" }
        guard let type = headers["Content-Type"]?.lowercased(), !body.isEmpty else { return nil }
        if type.hasPrefix("text/plain") { return String(decoding: body.prefix(1200), as: UTF8.self) }
        return type.contains("json") ? tusProblem : nil
    }

    /// The words in a JSON answer, under one of the names that are common for them.
    private var tusProblem: String? {
        // A problem that cannot be read is told by its status alone.
        guard let fields = try? json(TusProblem.self) else { return nil }
        return fields.detail ?? fields.message ?? fields.error
    }
}

/// What servers write into an answer that is an error.
private struct TusProblem: Decodable {
    let detail: String?
    let message: String?
    let error: String?
}
