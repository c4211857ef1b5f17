internal import CalotypeCore

/// The results of one entry: its renditions, the files in place, and the error if some are missing.
struct EntryProduct {
    private(set) var renditions: [Rendition] = []
    /// The files in place, in the order of the plan.
    private(set) var files: [StateRecord.Made] = []
    /// The file that the contact sheet shows.
    private(set) var picture: SheetPicture?
    /// The first failure; `nil` if all files are in place.
    private(set) var failure: CalotypeError?
    /// The reason if the disk accepts no more files.
    private(set) var refusal: String?

    /// Combines what was loaded with the reasons why files are not in place, in the order of the plan.
    ///
    /// A missing rendition or file does not affect the others.
    init(
        _ results: [Result<Rendition, CalotypeError>],
        _ writeFailures: [CalotypeError?],
        _ plan: RenditionPlan,
        of index: Int
    ) {
        var pictures: [[UInt8]] = []
        for ((item, result), writeFailure) in zip(zip(plan.items, results), writeFailures) {
            do throws(CalotypeError) {
                let rendition = try result.mapError { item.named($0) }.get()
                renditions.append(rendition)
                if let writeFailure {
                    if writeFailure.isFullDisk { refusal = writeFailure.message }
                    throw writeFailure
                }
                files.append(StateRecord.Made(rendition, label: item.size))
                pictures.append(rendition.bytes)
            } catch {
                failure = failure ?? error
            }
        }
        let shown = files.map { FetchedRendition($0, of: index) }
        picture = SheetPicture.choice(of: shown).map {
            SheetPicture(rendition: shown[$0], bytes: pictures[$0])
        }
    }

    /// Returns the record of the files; `nil` if there are none.
    ///
    /// If some are missing, the record includes files of `former` that are still there. Pictures of a
    /// truncated source are not complete.
    func record(of item: ListItem, options: UInt128, after former: StateRecord?) -> StateRecord? {
        let leftovers = failure == nil ? [] : leftovers(of: former)
        guard let source = renditions.first, let first = (files + leftovers).first else { return nil }
        return StateRecord(
            index: item.index,
            url: StableHash.hash(item.url),
            options: options,
            isComplete: failure == nil && !renditions.contains(where: \.isPartial),
            isOfThisRun: failure == nil,
            first: first,
            others: Array((files + leftovers).dropFirst()),
            sourceSize: source.source.size,
            sourceFormat: source.source.format,
            sourceFrames: source.source.frames,
            sourceBytes: source.sourceBytes.bytes
        )
    }

    /// Returns the files of an earlier run that were not replaced.
    func leftovers(of former: StateRecord?) -> [StateRecord.Made] {
        guard let former else { return [] }
        let names = Set(files.map { $0.fileName(of: former.index) })
        return former.made.filter { !names.contains($0.fileName(of: former.index)) }
    }
}

extension StateRecord.Made {
    init(_ rendition: Rendition, label: Int?) {
        self.init(
            label: label,
            format: rendition.format,
            bytes: rendition.bytes.count,
            size: rendition.size
        )
    }
}

extension RenditionPlan.Item {
    /// Returns the failure with the name of the failed rendition, if the plan has several.
    fileprivate func named(_ failure: CalotypeError) -> CalotypeError {
        guard !title.isEmpty else { return failure }
        var failure = failure
        failure.message = "\(title): \(failure.message)"
        return failure
    }
}
