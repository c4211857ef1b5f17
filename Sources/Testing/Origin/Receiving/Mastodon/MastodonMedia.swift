import CalotypeCore
import CalotypeDigests
import CalotypeHTTPMessages
import TaskFlow

/// The attachments of a simulated Mastodon server.
enum MastodonMedia {
    /// Leaves space for the fields of the form besides the file.
    private static let largestBody = MastodonLimits.videoBytes + (1 << 20)
    /// How many polls report a video or sound as in processing.
    private static let usualPolls = 2

    static let create = MastodonService.authorized { call in
        let isVersion2 = MastodonService.isVersion2(call)
        let rate = try countRate(call)
        let form = try await Form.read(call, fileLimit: largestBody)
        for (name, other) in form.files where name != "file" { other.file.discard() }
        guard let file = form.files["file"] else {
            form.discardFiles()
            throw OriginError.receiving(422, "Validation failed: File can't be blank")
        }
        do {
            let medium = try await made(file, form, call, isVersion2)
            file.file.settle()
            let isReady = medium.status == 200
            var response = Response.json(MastodonDocuments.medium(medium, call), status: isReady ? 200 : 202)
            response.fields += rate
            return response
        } catch {
            form.discardFiles()
            throw error
        }
    }

    static let one = MastodonService.authorized { call in
        let id = call.values["ID"] ?? ""
        switch call.request.method {
        case "PUT": return try await update(id, call)
        case "DELETE": return try delete(id, call)
        default: return try show(id, call)
        }
    }

    static let contents: @Sendable (Call) async throws -> ResponseScript = { call in
        let found = call.site.reception.mastodon.withLock { $0.medium(call.values["ID"] ?? "") }
        guard let medium = found else { throw MastodonService.missing }
        return try .sending(medium.file, length: medium.record.length, type: "application/octet-stream")
    }

    private static func made(
        _ file: Form.File,
        _ form: Form,
        _ call: Call,
        _ isVersion2: Bool
    ) async throws -> MastodonState.Medium {
        let kind = try await checked(file, form)
        let digest = try await file.file.digest(.sha256).hexadecimal
        var polls = isVersion2 && kind.isOfTime ? usualPolls : 0
        for case .processing(let count) in call.struck(where: \.isProcessing) where isVersion2 {
            polls = count
        }
        let isBroken = isVersion2 && call.suffers(.processingFailed)
        let (polled, broken) = (isBroken ? max(polls, 1) : polls, isBroken)
        return try call.site.reception.mastodon.withLock { state throws(OriginError) in
            let record = Received.Mastodon.Medium(
                id: state.nextMediumID,
                length: file.file.length,
                sha256: digest,
                type: kind.word,
                fileName: file.name,
                hasThumbnail: form.files["thumbnail"] != nil,
                description: form.value("description"),
                focus: form.value("focus"),
                createdAt: Timestamp.now()
            )
            let medium = MastodonState.Medium(
                record: record,
                file: file.file,
                kind: kind,
                pollsLeft: polled,
                isBroken: broken
            )
            try state.add(medium)
            return medium
        }
    }

    /// Checks that the server accepts the file, and returns its kind.
    private static func checked(_ file: Form.File, _ form: Form) async throws -> MediumKind {
        try check(description: form.value("description"))
        let prefix = try await file.file.read(MediumKind.prefixBytes, at: 0)
        guard let kind = MediumKind(prefix) else {
            throw OriginError.receiving(
                422,
                "Validation failed: File content type is invalid, File is invalid"
            )
        }
        let limit = kind.word == "image" ? MastodonLimits.imageBytes : MastodonLimits.videoBytes
        guard file.file.length < limit else {
            let size = "must be less than \(limit >> 20) MB"
            throw OriginError.receiving(422, "Validation failed: File \(size), File file size \(size)")
        }
        let pixels = kind.word == "image" ? MastodonLimits.imagePixels : MastodonLimits.videoPixels
        if let size = kind.size, size.width * size.height > pixels {
            throw OriginError.receiving(422, "\(size.width)x\(size.height) images are not supported")
        }
        return kind
    }

    private static func check(description: String?) throws(OriginError) {
        let most = MastodonLimits.descriptionCharacters
        guard description?.count ?? 0 <= most else {
            throw .receiving(
                422,
                "Validation failed: Description is too long (maximum is \(most) characters)"
            )
        }
    }
}

extension MastodonMedia {
    private static func show(_ id: String, _ call: Call) throws -> Response {
        let medium = try found(id, call)
        call.site.reception.mastodon.withLock { state in
            state.change(id) { medium in
                medium.record.polls += 1
                medium.pollsLeft = max(0, medium.pollsLeft - 1)
            }
        }
        return try told(medium, call)
    }

    private static func update(_ id: String, _ call: Call) async throws -> Response {
        let form = try await Form.read(call, fileLimit: largestBody)
        form.discardFiles()
        try check(description: form.value("description"))
        _ = try found(id, call)
        call.site.reception.mastodon.withLock { state in
            state.change(id) { medium in
                if form.values["description"] != nil { medium.record.description = form.value("description") }
                if form.values["focus"] != nil { medium.record.focus = form.value("focus") }
                if form.files["thumbnail"] != nil { medium.record.hasThumbnail = true }
            }
        }
        return try told(try found(id, call), call)
    }

    private static func delete(_ id: String, _ call: Call) throws -> Response {
        guard !call.suffers(.noDelete) else { throw OriginError.receiving(404, "Not Found") }
        let medium = call.site.reception.mastodon.withLock { $0.medium(id) }
        guard let medium else { throw MastodonService.missing }
        guard medium.record.attachedTo == nil else {
            throw OriginError.receiving(422, "Media attachment is currently used by a status")
        }
        call.site.reception.mastodon.withLock { $0.change(id) { $0.record.deleted = true } }
        medium.file.discard()
        return .json(.object([]))
    }

    /// Returns the medium, unless a status has it.
    private static func found(_ id: String, _ call: Call) throws(OriginError) -> MastodonState.Medium {
        let medium = call.site.reception.mastodon.withLock { $0.medium(id) }
        guard let medium, medium.record.attachedTo == nil else { throw MastodonService.missing }
        return medium
    }

    private static func told(_ medium: MastodonState.Medium, _ call: Call) throws(OriginError) -> Response {
        guard medium.status != 422 else {
            throw .receiving(422, "Error processing thumbnail for uploaded media")
        }
        return .json(MastodonDocuments.medium(medium, call), status: medium.status)
    }

    /// Counts the request towards the limit in the path, and returns the fields with the rest of the limit.
    private static func countRate(_ call: Call) throws(OriginError) -> [(name: String, value: String)] {
        for case .rate(let most, let seconds) in call.struck(where: \.isRate) {
            let (count, end) = call.site.reception.mastodon.withLock {
                $0.count(call.selected.root, seconds: Double(seconds), at: Timestamp.now())
            }
            let fields = MastodonService.rateFields(limit: most, left: max(0, most - count), end: end)
            guard count <= most else { throw .receiving(429, "Too many requests", fields: fields) }
            return fields
        }
        return []
    }
}
