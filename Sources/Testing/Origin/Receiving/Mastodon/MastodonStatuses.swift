import CalotypeHTTPMessages
import FoundationEssentials
import TaskFlow

/// The statuses of a simulated Mastodon server.
enum MastodonStatuses {
    private static let visibilities = ["public", "unlisted", "private", "direct"]

    static let create = MastodonService.authorized { call in
        let form = try await Form.read(call)
        form.discardFiles()
        let key = call.suffers(.noKeys) ? nil : call.request.headers["Idempotency-Key"]
        let now = Timestamp.now()
        let isUnready = call.suffers(.notReady)
        let (status, media) = try call.site.reception.mastodon.withLock { state throws(OriginError) in
            if let key, let status = state.repeated(key, at: now) {
                return (status, status.mediaIDs.compactMap(state.medium))
            }
            let ids = form.values["media_ids[]"] ?? []
            try check(ids, isUnready, &state)
            try check(form, hasMedia: !ids.isEmpty, at: now)
            let status = try state.add { made($0, form, key, ids, at: now) }
            return (status, ids.compactMap(state.medium))
        }
        return .json(MastodonDocuments.status(status, media, call))
    }

    static let one = MastodonService.authorized { call in
        let id = call.values["ID"] ?? ""
        let found = call.site.reception.mastodon.withLock { state in
            state.status(id).map { ($0, $0.mediaIDs.compactMap(state.medium)) }
        }
        guard let (status, media) = found else { throw MastodonService.missing }
        if call.request.method == "DELETE" {
            call.site.reception.mastodon.withLock { $0.deleteStatus(id) }
        }
        return .json(MastodonDocuments.status(status, media, call))
    }

    private static func made(
        _ id: String,
        _ form: Form,
        _ key: String?,
        _ ids: [String],
        at now: Double
    ) -> Received.Mastodon.Status {
        Received.Mastodon.Status(
            id: id,
            key: key,
            text: form.value("status") ?? "",
            mediaIDs: ids,
            visibility: form.value("visibility") ?? "public",
            language: form.value("language"),
            sensitive: ["true", "1", "on"].contains(form.value("sensitive")),
            spoilerText: form.value("spoiler_text") ?? "",
            scheduledAt: form.value("scheduled_at"),
            at: now
        )
    }

    /// Refuses media that cannot be attached, for the reason that a real server would give first.
    private static func check(
        _ ids: [String],
        _ isUnready: Bool,
        _ state: inout MastodonState
    ) throws(OriginError) {
        guard ids.count <= MastodonLimits.attachments else {
            throw refusal("Cannot attach more than \(MastodonLimits.attachments) files")
        }
        let media = ids.compactMap(state.medium).filter { $0.record.attachedTo == nil }
        let missing = ids.filter { id in !media.contains { $0.record.id == id } }
        guard missing.isEmpty else {
            let list = missing.joined(separator: ", ")
            throw refusal("Media \(list) not found or already attached to another post")
        }
        guard media.count < 2 || !media.contains(where: \.kind.isOfTime) else {
            throw refusal("Cannot attach a video to a post that already contains images")
        }
        guard !isUnready, media.allSatisfy({ $0.status == 200 }) else {
            for id in ids { state.change(id) { $0.pollsLeft = max(0, $0.pollsLeft - 1) } }
            throw refusal("Cannot attach files that have not finished processing. Try again in a moment!")
        }
    }

    private static func check(_ form: Form, hasMedia: Bool, at now: Double) throws(OriginError) {
        let text = form.value("status") ?? ""
        guard hasMedia || !text.isEmpty else { throw refusal("Validation failed: Text can't be blank") }
        let most = MastodonLimits.characters
        guard length(text) + (form.value("spoiler_text")?.count ?? 0) <= most else {
            throw refusal("Validation failed: Text character limit of \(most) exceeded")
        }
        guard visibilities.contains(form.value("visibility") ?? "public") else {
            throw refusal("Validation failed: Visibility is not included in the list")
        }
        guard let date = form.value("scheduled_at") else { return }
        let wholeSeconds = date.replacing(/\.[0-9]+/, with: "")
        // Text that is not a date is refused as an invalid date.
        guard let time = try? Date(wholeSeconds, strategy: .iso8601) else {
            throw refusal("Invalid date supplied")
        }
        guard time.timeIntervalSince1970 >= now + MastodonLimits.shortestDelay else {
            throw refusal("Validation failed: Scheduled at The scheduled date must be in the future")
        }
    }

    /// Counts the characters as the server does: every link has the same length.
    private static func length(_ text: String) -> Int {
        let link = String(repeating: "x", count: MastodonLimits.charactersPerLink)
        return text.replacing(/https?:\/\/[^\s]+/, with: link).count
    }

    private static func refusal(_ text: String) -> OriginError { .receiving(422, text) }
}
