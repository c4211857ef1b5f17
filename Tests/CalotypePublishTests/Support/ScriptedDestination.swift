import CalotypeCore
import CalotypeTestKit
import TaskFlow

@testable import CalotypePublish

/// A destination without a server: each of its acts is a closure, and is recorded.
struct ScriptedDestination: PublishDestination {
    let name = "scripted"
    var width = 3
    var taken = MediaLimits()
    /// Whether its uploads remember nothing.
    var isForgetful = false
    /// Called with the medium, the session and the number of the attempt at it, from 1.
    var onUpload: @Sendable (PreparedMedium, UploadSession, Int) async throws -> Void = { _, _, _ in }
    /// Called with the draft, the session and the number of the attempt, from 1.
    var onPublish: @Sendable (PostDraft, PostSession, Int) async throws -> Void = { _, _, _ in }
    var onDiscard: @Sendable (UploadedMedium?) async throws -> Void = { _ in }
    /// What its server says of what it was asked to remove.
    var removes = Discarded.removed
    var awaitsCutUploads = false

    let uploads = Recorder<PreparedMedium>()
    let drafts = Recorder<PostDraft>()
    let discarded = Recorder<RememberedState>()

    func limits(_ client: PublishClient) async throws -> MediaLimits { taken }

    func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        uploads.record(medium)
        if !isForgetful { try await session.remember(["id": "\(medium.position)"]) }
        let attempt = uploads.values.count { $0.position == medium.position }
        try await onUpload(medium, session, attempt)
        session.acknowledge(medium.file.size)
        return UploadedMedium(id: "m\(medium.position)")
    }

    func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        drafts.record(draft)
        try await onPublish(draft, session, drafts.count)
        return PublishedPost(id: "p", url: nil, media: draft.media.map(\.uploaded))
    }

    func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        try await onDiscard(uploaded)
        discarded.record(state)
        return removes
    }

    /// A failure with a remedy.
    static func failure(
        _ remedy: PublishError.Remedy,
        _ code: ErrorCode = .http(status: 500)
    ) -> PublishError {
        PublishError(CalotypeError(code, "it failed", stage: .response), remedy)
    }
}
