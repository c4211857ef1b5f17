internal import CalotypeCore
internal import TaskFlow

/// The file work for the entries of a run: pictures, state, report and contact sheet.
///
/// One task on a thread for files does it, so that no thread of the cooperative pool waits for a disk. What
/// arrives while that task works is done together afterwards.
final class FileWork: Sendable {
    private enum Work: Sendable {
        /// Checks whether an earlier run has completed the entry.
        case check
        case store([Result<Rendition, CalotypeError>])
        case fail(CalotypeError)
    }

    private struct Order: Sendable {
        let item: ListItem
        let work: Work
        let caller: CheckedContinuation<Bool, Never>
        var former: StateRecord?
        /// The numbers of its files in the batch, in the order of the plan.
        var files: [Int?] = []
        /// Whether the earlier record is of another URL.
        var isReplaced: Bool { former.map { $0.url != StableHash.hash(item.url) } ?? false }
        /// Whether the earlier record is removed before anything else happens.
        var losesRecord: Bool {
            switch work {
            case .check: false
            case .store: former != nil
            case .fail: isReplaced
            }
        }
    }

    private struct State {
        var waiting: [Order] = []
        var hasEnded = false
        var server: CheckedContinuation<[Order]?, Never>?
    }

    private let plan: RenditionPlan
    private let fingerprint: UInt128
    private let folder: OutputFolder
    private let records: StateFile
    private let ledger: RunLedger
    private let stop: Latch<String>
    private let state = Guarded(State())

    init(
        _ plan: RenditionPlan,
        folder: OutputFolder,
        state: StateFile,
        ledger: RunLedger,
        stop: Latch<String>
    ) {
        self.plan = plan
        self.folder = folder
        self.ledger = ledger
        self.stop = stop
        records = state
        fingerprint = plan.fingerprint
    }

    /// Does what arrives until the end; run it on a thread for files.
    ///
    /// Cancellation does not stop it.
    func run() async {
        while let orders = await nextOrders() {
            let answers = perform(orders)
            for (order, answer) in zip(orders, answers) { order.caller.resume(returning: answer) }
        }
    }

    /// Lets ``run()`` end after the work that waits.
    func end() {
        update { $0.hasEnded = true }
    }

    /// Returns whether an earlier run has completed the entry and its files are unchanged.
    func isComplete(_ item: ListItem) async -> Bool { await order(.check, item) }

    /// Stores the pictures of an entry; returns `false` if some are missing.
    func store(_ results: [Result<Rendition, CalotypeError>], of item: ListItem) async -> Bool {
        await order(.store(results), item)
    }

    /// Records a failure, and removes files that an earlier list left at this index for another URL.
    ///
    /// - Returns: `false`.
    func fail(_ item: ListItem, _ failure: CalotypeError) async -> Bool { await order(.fail(failure), item) }

    private func order(_ work: Work, _ item: ListItem) async -> Bool {
        await withCheckedContinuation { caller in
            update { $0.waiting.append(Order(item: item, work: work, caller: caller)) }
        }
    }

    private func nextOrders() async -> [Order]? {
        await withCheckedContinuation { server in update { $0.server = server } }
    }

    private func update(_ change: (inout State) -> Void) {
        let (server, orders) = state.withLock { state in
            change(&state)
            guard !state.waiting.isEmpty || state.hasEnded, let server = state.server.take() else {
                return (nil as CheckedContinuation<[Order]?, Never>?, nil as [Order]?)
            }
            let orders = Array(state.waiting.prefix(max(1, FileBatch.usualCount / plan.items.count)))
            state.waiting.removeFirst(orders.count)
            return (server, orders.isEmpty ? nil : orders)
        }
        server?.resume(returning: orders)
    }
}

/// What is done on the thread for files.
extension FileWork {
    private func perform(_ orders: [Order]) -> [Bool] {
        var orders = orders
        if records.hasFormerRecords {
            for index in orders.indices {
                orders[index].former = records.record(of: orders[index].item.index)
            }
            // Removed first: after a crash, a replaced file must not have the record of its predecessor.
            records.remove(orders.filter(\.losesRecord).map(\.item.index))
        }
        var files = FileBatch(into: folder)
        for index in orders.indices { write(&orders[index], into: &files) }
        files.sync()
        let sheetRoom = ledger.sheetRoom
        var answers = orders.map { _ in false }
        // Once the ledger is closed, no file gets its name.
        ledger.complete {
            files.commit()
            var ends: [RunLedger.End] = []
            var made: [StateRecord] = []
            answers = orders.map { end($0, files, &ends, &made, sheetRoom) }
            records.add(made)
            return ends
        }
        return answers
    }

    private func write(_ order: inout Order, into files: inout FileBatch) {
        guard case .store(let results) = order.work else { return }
        order.files = zip(plan.items, results).map { item, result in
            guard case .success(let rendition) = result else { return nil }
            let made = StateRecord.Made(rendition, label: item.size)
            return files.add(rendition.bytes, as: made.fileName(of: order.item.index))
        }
    }

    private func end(
        _ order: Order,
        _ files: FileBatch,
        _ ends: inout [RunLedger.End],
        _ made: inout [StateRecord],
        _ sheetRoom: Int
    ) -> Bool {
        switch order.work {
        case .check:
            guard let found = check(order, sheetRoom) else { return false }
            ends.append(found)
            return true
        case .fail(let failure):
            if order.isReplaced { order.former?.fileNames.forEach(folder.remove) }
            ends.append(.init(outcome: .failed(order.item, failure)))
            return false
        case .store(let results):
            let failures = order.files.map { $0.flatMap(files.failure) }
            let product = EntryProduct(results, failures, plan, of: order.item.index)
            var former = order.former
            // Pictures of another URL are always removed, others when their replacements are complete.
            if product.failure == nil || order.isReplaced {
                product.leftovers(of: former).forEach { folder.remove($0.fileName(of: order.item.index)) }
                former = nil
            }
            if let record = product.record(of: order.item, options: fingerprint, after: former) {
                made.append(record)
            }
            ends.append(.init(outcome: .made(order.item, product), picture: product.picture))
            if let reason = product.refusal { stop.set(reason) }
            return product.failure == nil
        }
    }

    private func check(_ order: Order, _ sheetRoom: Int) -> RunLedger.End? {
        guard let record = order.former, record.isComplete, record.options == fingerprint, !order.isReplaced,
            record.made.allSatisfy({ folder.size(of: $0.fileName(of: record.index)) == $0.bytes })
        else { return nil }
        records.confirm(record.index)
        let outcome = FetchOutcome.skipped(order.item, record)
        return .init(outcome: outcome, picture: picture(of: outcome, limit: sheetRoom))
    }

    /// Returns the contact sheet's picture for existing files.
    private func picture(of outcome: FetchOutcome, limit: Int) -> SheetPicture? {
        guard limit > 0, let choice = SheetPicture.choice(of: outcome.renditions) else { return nil }
        let rendition = outcome.renditions[choice]
        return folder.read(rendition.file, limit: limit).map { SheetPicture(rendition: rendition, bytes: $0) }
    }
}
