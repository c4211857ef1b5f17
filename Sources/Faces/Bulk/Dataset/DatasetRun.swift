internal import Calotype
internal import CalotypeCodec
internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeFiles
internal import TaskFlow

/// A running dataset job: the handling of each entry.
struct DatasetRun: Sendable {
    let options: DatasetOptions
    let pipeline: ImagePipeline
    let shards: ShardBook
    let ledger: DatasetLedger
    /// Opens with the ending when the run cannot continue.
    let stop: Latch<RunSummary.Ending>

    /// Handles all entries, and completes their shards.
    func run(_ list: some ListReading) async -> RunSummary {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await handleAll(of: list) }
            group.addTask {
                // The task is cancelled at the end of the list.
                _ = try? await stop.wait()
            }
            await group.next()
            group.cancelAll()
        }
        if Task.isCancelled { return ledger.summary(.interrupted) }
        if stop.value == nil { await shards.endReading() }
        if stop.value == nil { await shards.commitRest() }
        if let ending = stop.value { return ledger.summary(ending) }
        return ledger.summary(.finished)
    }

    private func handleAll(of list: some ListReading) async {
        let entries = WaitingEntries(
            EntryQueue(
                limit: options.window,
                perHost: options.concurrencyPerHost,
                strangers: options.concurrency / 2,
                inOrder: false,
                pace: options.manners.map(pace)
            )
        )
        guard let manners = options.manners else { return await handleAll(entries, of: list) }
        await manners.pacing(entries) { await handleAll(entries, of: list) }
    }

    /// The pace of requests to hosts: of many that do not respond, each must not take several places.
    private func pace(_ manners: HostManners) -> PacePolicy {
        var pace = manners.pace
        pace.startsAlone = true
        return pace
    }

    private func handleAll(_ entries: WaitingEntries, of list: some ListReading) async {
        // Cancelled when the last entry has been handled.
        async let _ = entries.fill(from: list) { await shards.needsNothing($0) }
        await withConcurrentResults(
            of: entries,
            limit: options.concurrency,
            operation: { item in await TaskTrace.withLane { await handle(item, of: entries) } },
            body: { results in
                for await _ in results {}
            }
        )
    }

    /// Handles one entry and ends it, or puts it back.
    private func handle(_ item: ListItem, of entries: WaitingEntries) async {
        ledger.begin()
        let areas = Result { () throws(CalotypeError) in try options.areas(of: item) }
        var contact = HostContact.answered
        if item.invalidReason != nil || (try? areas.get()) == nil { contact = .none }
        do {
            let made = try await sample(of: item, blurring: areas) { failure in
                contact = HostContact(failure)
                guard let trouble = HostTrouble(failure) else { return false }
                return entries.putBack(item, trouble)
            }
            guard let (sample, picture) = made else { return ledger.drop() }
            await shards.end(item, sample, picture)
        } catch {
            ledger.drop()
        }
        entries.end(item, contact)
    }

    /// Returns the sample of an entry with its picture, or with why there is none.
    ///
    /// - Parameters:
    ///   - item: The entry.
    ///   - areas: The areas to blur, or why they are not known.
    ///   - isPutBack: Receives the error of a failed load, and returns whether the entry is tried again later.
    /// - Returns: The sample, and its encoded picture, which is empty if there is none; `nil` if the entry
    ///   is tried again later.
    /// - Throws: `CancellationError`.
    private func sample(
        of item: ListItem,
        blurring areas: Result<[RelativeArea], CalotypeError>,
        isPutBack: (CalotypeError) -> Bool
    ) async throws -> (Sample, [UInt8])? {
        let sample = Sample(item)
        if let reason = item.invalidReason {
            return (sample.failed(CalotypeError(reason.code, reason.message, stage: .request)), [])
        }
        let boxes: [RelativeArea]
        do throws(CalotypeError) {
            boxes = try areas.get()
        } catch {
            return (sample.failed(error), [])
        }
        do {
            var request = ImageRequest(item.url)
            request.limits = options.limits
            request.cachePolicy = options.cachePolicy
            return try await pipeline.holdingSource(of: request) { [request] source in
                try await made(sample, request, source, blurring: boxes)
            }
        } catch let error as CalotypeError {
            if isPutBack(error) { return nil }
            var failed = sample.failed(error)
            failed.originalSize = error.load?.source.map(size)
            return (failed, [])
        }
    }

    private func size(_ facts: ImageFacts) -> PixelSize {
        options.ignoresOrientation ? facts.storedSize : facts.size
    }

    /// Makes the picture of a sample from its source.
    ///
    /// A failure is part of the sample, with what was already known of the source.
    ///
    /// - Throws: `CancellationError`.
    private func made(
        _ sample: Sample,
        _ request: ImageRequest,
        _ source: HeldSource,
        blurring areas: [RelativeArea]
    ) async throws -> (Sample, [UInt8]) {
        var sample = sample
        do {
            let facts = source.info.facts
            let size = size(facts)
            sample.originalSize = size
            let bytes = try await originalBytes(of: source)
            if let function = options.hash.function {
                do throws(DigestError) {
                    sample.hash = try Digest(function, of: bytes).hexadecimal
                } catch {
                    throw CalotypeError(.storageFailed, "\(error)", stage: .store, cause: error)
                }
            }
            if options.extractsEXIF { sample.exif = SampleEXIF.json(of: bytes, facts.format) }
            if let expected = options.expectedHash(of: sample), expected != sample.hash {
                let message = "the bytes have the hash \(sample.hash ?? ""), the list says \(expected)"
                throw CalotypeError(.hashMismatch, message, stage: .body)
            }
            var transform = try options.transform(of: size)
            transform.edits.blurredAreas = areas
            if options.keepsOriginals || options.keepsBytes(facts, transform) {
                sample.size = size
                return (sample, bytes)
            }
            var request = request
            (request.transform, request.output) = (transform, options.outputFormat)
            let rendition = try await pipeline.load(request)
            sample.size = rendition.size
            return (sample, rendition.bytes)
        } catch let error as CalotypeError {
            return (sample.failed(error), [])
        }
    }

    /// Returns the source's bytes, or none if nobody needs them.
    private func originalBytes(of source: HeldSource) async throws -> [UInt8] {
        let isNeeded =
            options.hash != .none || options.keepsOriginals || options.skipsReencoding || options.extractsEXIF
        return isNeeded ? try await source.bytes() : []
    }
}

extension DatasetOptions {
    /// Returns how to scale a picture of `size`.
    fileprivate func transform(of size: PixelSize) throws(CalotypeError) -> Transform {
        var transform = try resizeMode.transform(of: size, side: imageSize, onlyIfBigger: resizesOnlyIfBigger)
        transform.edits.background = .white
        transform.edits.ignoresOrientation = ignoresOrientation
        return transform
    }

    /// Returns the areas to blur.
    fileprivate func areas(of item: ListItem) throws(CalotypeError) -> [RelativeArea] {
        guard let index = boxColumn.flatMap({ extraColumns.firstIndex(of: $0) }),
            item.fields.indices.contains(index)
        else { return [] }
        return try SampleBoxes.areas(item.fields[index])
    }

    /// Returns the hash that the list says for a sample; `nil` if none is to be checked.
    fileprivate func expectedHash(of sample: Sample) -> String? {
        guard hashColumn != nil, let field = sample.fields.last else { return nil }
        return (field.text ?? "").lowercased()
    }

    fileprivate var outputFormat: OutputFormat {
        switch encoding {
        case .jpg: .jpeg(quality: quality)
        case .png: .png
        case .webp: .webp(quality: quality)
        }
    }

    /// Whether the source's own bytes serve as the picture.
    fileprivate func keepsBytes(_ facts: ImageFacts, _ transform: Transform) -> Bool {
        guard skipsReencoding, transform.mode == .none, transform.edits.blurredAreas.isEmpty,
            facts.format.fileExtension == encoding.rawValue
        else { return false }
        return (facts.orientation == 1 || ignoresOrientation) && !facts.hasAlpha
    }
}

extension DatasetOptions.Hash {
    /// The function; `nil` for no hash.
    var function: DigestFunction? {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        case .md5: .md5
        case .none: nil
        }
    }
}

/// The EXIF fields of a source as JSON.
private enum SampleEXIF {
    /// Returns a JSON object of texts, `{}` if there are no fields.
    static func json(of bytes: [UInt8], _ format: ImageFormat) -> String {
        var object = JSONObject()
        for field in EXIFFields.fields(of: bytes, format) { object.add(field.name, string: field.value) }
        return object.text
    }
}
