internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeHTTP
internal import TaskFlow

/// One attempt to upload a file to a bucket in parts.
struct MultipartUpload: Sendable {
    /// How many parts to send concurrently; each holds two blocks of its file in memory.
    static let width = 4

    /// A part that the server has.
    private struct Receipt: Sendable {
        let part: PartPlan.Part
        let digest: PartDigest
        let tag: ObjectTag
    }

    private let upload: S3Upload

    private var s3: S3Client { upload.s3 }
    private var key: String { upload.key }
    private var session: UploadSession { upload.session }
    private var file: SourceFile { upload.file }

    init(_ upload: S3Upload) {
        self.upload = upload
    }

    /// Sends the missing parts, and completes the object.
    func run() async throws {
        let (known, isNew) = try await begin()
        let plan = try PartPlan(size: file.size, partSize: ByteCount(known.partBytes))
        let receipts = try await withThreadExecutor(name: "part digests", threads: 1) { disk in
            let old = isNew ? [] : try await verified(plan, known, on: disk)
            let new = try await send(plan.parts(without: Set(old.map(\.part))), known, old, on: disk)
            // Parts from before and after a change must not be combined into one object.
            try await disk.run { try file.checkUnchanged() }
            return old + new
        }
        session.beginProcessing()
        try await complete(known, receipts.sorted { $0.part.number < $1.part.number })
        session.acknowledge(file.size)
    }

    /// Returns the upload that an earlier attempt began, or a new one.
    private func begin() async throws -> (S3UploadState.Multipart, isNew: Bool) {
        let memory = upload.memory
        if let known = memory?.upload { return (known, false) }
        var state = memory ?? upload.newState(isInParts: true)
        if memory == nil { try await session.remember(state) }
        // If state is stored, an upload may have begun whose response was lost.
        let found = memory == nil ? nil : try await s3.openUpload(of: key, file.size)
        let known =
            if let found {
                found
            } else {
                try await s3.create(key, upload.type, file.size, upload.object)
            }
        state.upload = known
        try await session.remember(state)
        return (known, found == nil)
    }

    // MARK: Parts

    /// Returns the parts that the server has unchanged.
    private func verified(
        _ plan: PartPlan,
        _ known: S3UploadState.Multipart,
        on disk: ThreadExecutor
    ) async throws -> [Receipt] {
        let listed = try await s3.parts(known.id, of: key)
        var receipts: [Receipt] = []
        for part in plan.parts {
            guard let there = listed[part.number], there.size == part.size else { continue }
            let digest = try await self.digest(of: part, on: disk)
            guard known.hasOpaqueTags || there.tag == digest.tag else { continue }
            receipts.append(Receipt(part: part, digest: digest, tag: there.tag))
        }
        session.acknowledge(ByteCount(receipts.reduce(0) { $0 + $1.part.size.bytes }))
        return receipts
    }

    /// Sends parts, several at a time.
    ///
    /// After a temporary failure, no further part is started, but those in progress may finish, so that they
    /// need not be sent again.
    private func send(
        _ parts: [PartPlan.Part],
        _ known: S3UploadState.Multipart,
        _ old: [Receipt],
        on disk: ThreadExecutor
    ) async throws -> [Receipt] {
        var acknowledged = old.reduce(0) { $0 + $1.part.size.bytes }
        let progress = PartProgress(session.progress(), finished: ByteCount(acknowledged))
        return try await withThrowingTaskGroup(of: Receipt.self) { group in
            var (receipts, waiting, failure) = ([Receipt](), parts[...], (any Error)?.none)
            func startNext() {
                guard failure == nil, let part = waiting.popFirst() else { return }
                group.addTask { try await self.send(part, known, progress, on: disk) }
            }
            for _ in 0..<Self.width { startNext() }
            while let result = await group.nextResult() {
                switch result {
                case .success(let receipt):
                    receipts.append(receipt)
                    acknowledged += receipt.part.size.bytes
                    session.acknowledge(ByteCount(acknowledged))
                    startNext()
                case .failure(let error):
                    guard Self.mayPass(error) else { throw error }
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            return receipts
        }
    }

    private func send(
        _ part: PartPlan.Part,
        _ known: S3UploadState.Multipart,
        _ progress: PartProgress,
        on disk: ThreadExecutor
    ) async throws -> Receipt {
        var isThere = false
        defer { progress.end(part, isThere: isThere) }
        let digest = try await self.digest(of: part, on: disk)
        let tag = try await s3.put(
            part,
            of: file,
            digest: digest,
            to: key,
            known.id,
            progress: progress.part(part.number)
        )
        isThere = true
        return Receipt(part: part, digest: digest, tag: tag)
    }

    private func digest(of part: PartPlan.Part, on disk: ThreadExecutor) async throws -> PartDigest {
        let body = try file.body(from: part.offset, limit: part.size)
        return try await disk.run {
            try file.checkUnchanged()
            return try PartDigest(of: body)
        }
    }

    /// Whether the other parts in progress are still worth finishing.
    private static func mayPass(_ error: any Error) -> Bool {
        !(error is CancellationError) && ![.none, .startOver].contains(PublishError(error).remedy)
    }

    // MARK: Completion

    private func complete(_ known: S3UploadState.Multipart, _ receipts: [Receipt]) async throws {
        let expected = try ObjectTag(parts: receipts.map(\.digest.digest))
        let doing = "complete the upload"
        let response = try await s3.complete(known.id, of: key, receipts.map(\.tag), upload.object)
        if response.isSuccess {
            let result = try response.document("CompleteMultipartUpload", doing)
            if result["ETag"].map({ ObjectTag($0) }) == expected { return }
        } else if response.report?.code != "NoSuchUpload" {
            throw response.failure(doing)
        }
        // An earlier response may have been lost, and servers create tags in different ways. An object of
        // this size at the key is this upload's.
        guard try await s3.size(of: key) != file.size else { return }
        throw PublishError(response.failure(doing).error, .startOver)
    }
}

extension PartPlan {
    /// Returns the parts in order, except those in `done`.
    fileprivate func parts(without done: Set<Part>) -> [Part] {
        parts.filter { !done.contains($0) }
    }
}
