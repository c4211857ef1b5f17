internal import CalotypeCore
internal import CalotypeHTTP

/// One attempt to upload a medium to a site.
struct WordPressUploadAttempt {
    let medium: PreparedMedium
    let session: UploadSession
    let calls: WordPressCalls

    private static let mostFailures = 3

    func run(_ record: WordPressUpload, isFirst: Bool) async throws -> UploadedMedium {
        var record = record
        var stored = try await isFirst ? nil : found(&record)
        if stored == nil { stored = try await send(&record) }
        if record.isUnprocessed { stored = try await process(&record) }
        guard let stored else { throw lost() }
        return try await describe(stored)
    }

    /// Returns the medium that an earlier attempt uploaded.
    private func found(_ record: inout WordPressUpload) async throws -> WordPressMedium? {
        guard let stored = try await calls.medium(record) else {
            record.id = nil
            record.isUnprocessed = false
            return nil
        }
        session.acknowledge(medium.file.size)
        // After an interruption, the server has the file, but not the smaller images that the site shows.
        record.isUnprocessed = stored.missingSizes?.isEmpty == false
        try await remember(stored.id, in: &record)
        return stored
    }

    /// Sends the file; `nil` if the site has it but has not finished processing it.
    private func send(_ record: inout WordPressUpload) async throws -> WordPressMedium? {
        let response = try await deliver(&record)
        let id = response.headers["X-WP-Upload-Attachment-ID"].flatMap { Int($0) }
        if let id, response.status >= 500 || Self.isBroken(response) {
            session.acknowledge(medium.file.size)
            record.isUnprocessed = true
            try await remember(id, in: &record)
            return nil
        }
        guard response.isSuccess else { throw try await refusal(response, &record) }
        session.acknowledge(medium.file.size)
        let stored = try await onlyOne(try response.json(WordPressMedium.self), record.slug)
        try await remember(stored.id, in: &record)
        return stored
    }

    /// Returns the failure for a response.
    ///
    /// A site that repeatedly fails to process a file will not succeed later.
    private func refusal(
        _ response: PublishResponse,
        _ record: inout WordPressUpload
    ) async throws -> PublishError {
        let failure = response.wordPressFailure("send \(medium.name)")
        let isBroken = response.status == 500 && failure.remedy == .retry
        if isBroken { record.failures += 1 }
        try await session.remember(record)
        guard isBroken, record.failures >= Self.mostFailures else { return failure }
        var error = failure.error
        error.message += "; PHP may have too little memory for this file"
        return PublishError(error, .none)
    }

    private func deliver(_ record: inout WordPressUpload) async throws -> PublishResponse {
        var request = try calls.mediumRequest(medium, slug: record.slug)
        request.body = try medium.file.body()
        let progress = session.progress()
        request.progress = progress
        record.isSending = true
        try await session.remember(record)
        record.isSending = false
        do {
            return try await calls.sendHere(request)
        } catch {
            if progress.sent >= medium.file.size { record.sentAt = session.client.time.secondsSince1970 }
            // The error that led here is more important than a failure to write to the journal.
            try? await session.remember(record)
            throw error
        }
    }

    /// Whether PHP stopped in the middle of a successful response.
    private static func isBroken(_ response: PublishResponse) -> Bool {
        response.isSuccess && (try? response.json(WordPressMedium.self)) == nil
    }

    /// Keeps the first of two copies of a medium.
    ///
    /// There are two if the site carried out a request of an earlier attempt after it was abandoned.
    private func onlyOne(_ stored: WordPressMedium, _ slug: String) async throws -> WordPressMedium {
        guard stored.slug != slug, let first = try await calls.medium(named: slug), first.id != stored.id
        else {
            return stored
        }
        try await calls.remove("media/\(stored.id)", "remove the duplicate of \(medium.name)")
        return first
    }

    /// Sets the alt text.
    private func describe(_ stored: WordPressMedium) async throws -> UploadedMedium {
        guard let altText = medium.altText, !altText.isEmpty else { return stored.uploaded }
        let response = try await calls.post(
            "wp/v2/media/\(stored.id)?\(WordPressMedium.fields)",
            ["alt_text": altText]
        )
        guard response.isSuccess else { throw failure(response) }
        return stored.uploaded
    }

    func remember(_ id: Int, in record: inout WordPressUpload) async throws {
        record.id = id
        try await session.remember(record)
    }

    func failure(_ response: PublishResponse) -> PublishError {
        response.status == 404 ? lost() : response.wordPressFailure("finish \(medium.name)")
    }

    func lost() -> PublishError {
        let message = "the site no longer has \(medium.name)"
        return PublishError(
            CalotypeError(.http(status: 404), message, stage: .response, url: calls.destination.site.text),
            .startOver
        )
    }
}

extension WordPressUploadAttempt {
    /// WordPress's own editor, Gutenberg, allows an image the same number.
    private static let mostProcessings = 5

    /// Lets the site create its smaller images; if it cannot, removes the file.
    func process(_ record: inout WordPressUpload) async throws -> WordPressMedium {
        guard let id = record.id else { throw lost() }
        session.beginProcessing()
        while record.processings < Self.mostProcessings {
            if record.processings > 0 { try await session.sleep(for: .seconds(1 << record.processings)) }
            record.processings += 1
            try await session.remember(record)
            let call = "wp/v2/media/\(id)/post-process?\(WordPressMedium.fields)"
            let response = try await calls.post(call, ["action": "create-image-subsizes"])
            if response.isSuccess { return try response.json(WordPressMedium.self) }
            guard response.status >= 500 else { throw failure(response) }
        }
        try await calls.remove("media/\(id)", "remove \(medium.name), which the site cannot process")
        throw unusable()
    }

    private func unusable() -> PublishError {
        let error = CalotypeError(
            .processingFailed,
            "the site failed \(Self.mostProcessings) times to create smaller images of \(medium.name), which was removed "
                + "again; use a smaller image, or give PHP more memory",
            stage: .response,
            url: calls.destination.site.text
        )
        return PublishError(error, .none)
    }
}

/// The state that the attempts at an upload store.
struct WordPressUpload: Codable {
    let root: WordPressRoot
    /// The slug by which later attempts find the medium; no other medium has it.
    let slug: String
    /// The site's ID for the medium, once there is one.
    var id: Int?
    /// Whether the file was being sent when this was written to the journal: a killed process leaves it so.
    var isSending: Bool?
    /// When all bytes had been sent without a response, in seconds since 1970.
    ///
    /// The site may still be storing them.
    var sentAt: Int?
    /// How often the site failed after it received all bytes.
    var failures = 0
    /// How often the site was asked to create its smaller images after it failed to.
    var processings = 0
    /// Whether the smaller images are still missing.
    var isUnprocessed = false

    init(root: WordPressRoot, key: String) {
        self.root = root
        slug = "m-\(key.lowercased())"
    }

    /// Whether a slug is one of ours, and not one that the site derived from a title.
    static func isSlug(_ text: String) -> Bool {
        text.hasPrefix("m-") && text.utf8.count > 32
    }
}
