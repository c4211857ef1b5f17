internal import CalotypeCore
internal import CalotypeHTTP

extension WordPressUploadAttempt {
    /// What Gutenberg, WordPress's own editor, grants a picture too.
    private static let mostProcessings = 5

    /// Lets the site make its smaller pictures; one that cannot does not keep the file.
    func process(_ record: inout WordPressUpload) async throws -> WordPressMedium {
        guard let id = record.id else { throw lost() }
        session.beginProcessing()
        while record.processings < Self.mostProcessings {
            if record.processings > 0 { try await session.sleep(for: .seconds(1 << record.processings)) }
            record.processings += 1
            try await session.remember(record)
            let call = "wp/v2/media/\(id)/post-process?\(WordPressMedium.fields)"
            let answer = try await calls.post(call, ["action": "create-image-subsizes"])
            if answer.isSuccess { return try answer.json(WordPressMedium.self) }
            guard answer.status >= 500 else { throw failure(answer) }
        }
        try await calls.remove("media/\(id)", "remove \(medium.name), which the site cannot use")
        throw unusable()
    }

    private func unusable() -> PublishFailure {
        let error = CalotypeError(
            .processingFailed,
            "the site failed \(Self.mostProcessings) times to make its smaller pictures of \(medium.name), which was removed "
                + "there again; make the picture smaller, or give PHP more memory",
            stage: .response,
            url: calls.destination.site.text
        )
        return PublishFailure(error, .none)
    }
}
