internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// A bucket as a place for files whose names are known, each of which is stored once and never replaced.
///
/// Below the destination's prefix, the key of an object is the name of its file. An object appears complete or
/// not at all, and its metadata has the SHA-256 of its bytes. An upload in parts that a killed process has left
/// is continued.
package struct S3Store: Sendable {
    /// How long a cancelled upload in parts may take to abort it at the server.
    private static let abortTime = Duration.milliseconds(700)

    /// The state of one upload, which its attempts share.
    private struct Course {
        var state: RememberedState
        var highest = ByteCount(0)
    }

    private let s3: S3Client
    private let retry: PublishRetry
    private let random: @Sendable (Duration) -> Duration
    /// Delays all uploads for as long as the server asks for.
    private let pacing: Pacing

    /// Creates a store that sends through `client` and retries as a publisher does.
    package init(
        _ destination: S3Destination,
        _ client: PublishClient,
        retry: PublishRetry = PublishRetry(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }
    ) {
        s3 = S3Client(destination, client)
        self.retry = retry
        self.random = random
        pacing = Pacing(clock, progress: PublishProgress())
    }

    /// Checks that the bucket exists and can be used with the key.
    ///
    /// - Throws: The server's error, as `CalotypeError`; `CancellationError`.
    package func check() async throws {
        try await attempts.run { _ in _ = try await s3.destination.limits(s3.client) }
    }

    /// Stores the file at `path` as `name`, unless the bucket has it.
    ///
    /// - Returns: `false` if the bucket has another object of that name, which stays.
    /// - Throws: `file_not_readable`; the server's error, as `CalotypeError`; `CancellationError`.
    package func store(_ path: String, as name: String) async throws -> Bool {
        let inspected = try await withThreadExecutor(name: "upload", threads: 1) { disk in
            try await disk.run { try FileInspection(path, needsMD5: true) }
        }
        let key = "\(s3.destination.location.prefix)\(name)"
        // With this state, the first attempt looks for an upload that a killed process has begun.
        let unknown = try RememberedState(S3UploadState(key: key, isInParts: true))
        let course = Guarded(Course(state: unknown))
        do {
            return try await attempts.run { _ in
                try await attempt(inspected, key, course)
            } reached: {
                course.withLock(\.highest)
            } startOver: {
                course.withLock { $0.state = unknown }
            }
        } catch {
            if Task.isCancelled { await abort(key, course) }
            throw error
        }
    }

    private var attempts: Attempts { Attempts(retry, random: random, pacing) }

    private func attempt(
        _ inspected: FileInspection,
        _ key: String,
        _ course: Guarded<Course>
    ) async throws -> Bool {
        let file = inspected.file
        if let isSame = try await isSame(file, key) { return isSame }
        let session = UploadSession(
            client: s3.client,
            key: key,
            state: course.withLock(\.state),
            remember: { state in course.withLock { $0.state = state } },
            tell: { news in
                guard case .acknowledged(let count) = news else { return }
                course.withLock { $0.highest = max($0.highest, count) }
            },
            pause: { try await pacing.sleep($0) }
        )
        let object = S3ObjectFields(sha256: file.sha256, isOnlyIfNew: true)
        do {
            try await S3Upload(inspected, s3, session, object).send()
        } catch let failure as PublishError where failure.error.code == .http(status: 412) {
            // Another process, or an earlier attempt whose response was lost, has stored the object.
            await abort(key, course)
        }
        if let isSame = try await isSame(file, key) { return isSame }
        let error = CalotypeError(
            .notStored,
            "the server does not have \(key) after its upload",
            stage: .response
        )
        throw PublishError(error, .retry)
    }

    /// Returns whether the object is this file; `nil` if there is none.
    private func isSame(_ file: SourceFile, _ key: String) async throws -> Bool? {
        let response = try await s3.send(S3Call(.head, key))
        guard response.status != 404 else { return nil }
        guard response.isSuccess else { throw response.failure("look for \(key)") }
        let headers = response.response.headers
        guard headers["Content-Length"] == "\(file.size.bytes)" else { return false }
        // Programs that copy objects may drop metadata.
        guard let sha256 = headers[S3ObjectFields.sha256Name] else {
            return headers["ETag"].map { ObjectTag($0).text } == file.md5
        }
        return sha256 == file.sha256
    }

    /// Aborts the upload in parts, if there is one; if that fails, the next run continues it.
    private func abort(_ key: String, _ course: Guarded<Course>) async {
        guard let id = course.withLock(\.state).value(S3UploadState.self)?.upload?.id else { return }
        // Owner: this call, which awaits it; a cancel must not reach it.
        await Task { [s3] in
            try? await withTimeout(Self.abortTime) { try await s3.abort(id, of: key) }
        }.value
    }
}
