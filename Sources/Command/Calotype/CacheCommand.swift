import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeStore
import TaskFlow

/// `calotype cache`: inspects, verifies, clears and trims the cache, and removes single URLs from it.
enum CacheCommand {
    private static let folder = Option(
        CacheOptions.folder.spec.name,
        .text("DIR"),
        default: "$XDG_CACHE_HOME/calotype",
        "Cache folder."
    )
    private static let size = Option(
        "max-size",
        .byteSize,
        default: "1GiB",
        "With trim: maximum size of the cached values afterwards, such as 500M or 2GiB."
    )
    private static let json = Flag("json", "Print one JSON object, for programs.")

    static let command = Command(
        "cache",
        summary: "inspect, verify, clear or trim the cache, or remove URLs from it",
        discussion: [
            """
            ACTION is stats (show what is in the cache), verify (read every entry and remove damaged ones), \
            clear (remove all entries), trim (remove the least wanted entries until the cache fits into \
            --max-size) or remove (remove everything made from the given URLs, in all sizes and formats).
            """,
            """
            While another process is writing to the cache, the command reports this, changes nothing and exits \
            with 1; stats still prints its figures. verify exits with 1 if something was wrong, and reports \
            what it removed. If there is no cache, there is nothing to do.
            """,
        ],
        operands: .init("ACTION [URL...]", count: 1...1_000_000),
        groups: [.init("Cache", [folder, size, json])],
        examples: [
            .init("Show what the cache holds", "calotype cache stats"),
            .init("Free disk space", "calotype cache trim --max-size 200M"),
            .init("Forget an image", "calotype cache remove https://example.com/photo.jpg"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let upkeep = CacheUpkeep(action: try action(arguments), folder: try folder(arguments))
        let findings = try await withInterruption { try await upkeep.run() }.result
        try TerminalOutput.standardOutput.write(arguments[json] ? findings.json : findings.page)
        for problem in findings.problems {
            Main.complain("calotype cache: \(findings.folder): \(problem)\n")
        }
        return findings.problems.isEmpty ? 0 : 1
    }

    private static func action(_ arguments: ParsedArguments) throws(UsageError) -> CacheUpkeep.Action {
        let word = arguments.operands.first ?? ""
        let urls = arguments.operands.dropFirst()
        if arguments[size] != nil, word != "trim" { throw error("--max-size goes with trim only") }
        if word == "remove", urls.isEmpty { throw error("remove needs at least one URL") }
        if word != "remove", let url = urls.first { throw error("\(word) takes no URL: \(url)") }
        return switch word {
        case "stats": .stats
        case "verify": .verify
        case "clear": .clear
        case "trim": .trim(to: arguments[size].map { ByteCount($0.bytes) } ?? .mebibytes(1024))
        case "remove": .remove(try urls.map(source))
        default: throw error("unknown action \(word); use stats, verify, clear, trim or remove")
        }
    }

    private static func source(_ url: String) throws(UsageError) -> StoreGroup {
        do throws(CalotypeError) {
            return try StoreGroup(url: url)
        } catch {
            throw self.error("\(url): \(error.message)")
        }
    }

    private static func folder(_ arguments: ParsedArguments) throws(UsageError) -> String {
        guard let folder = arguments[folder] ?? CacheOptions.defaultFolder else {
            throw error("no home directory for the cache; set a folder with --cache")
        }
        return folder
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}

/// One action of `calotype cache` on one folder.
struct CacheUpkeep: Sendable {
    enum Action: Sendable {
        case stats, verify, clear
        case trim(to: ByteCount)
        case remove([StoreGroup])
    }

    /// The message for a cache that another process is writing to.
    private static let inUse = "another process is using this cache; nothing was changed"

    let action: Action
    let folder: String

    func run() async throws -> CacheFindings {
        var findings = CacheFindings(folder: folder)
        switch DiskCache.state(of: folder) {
        case .missing:
            findings.note = "there is no cache"
            findings.add("state", .text("missing"))
        case .unusable(let reason):
            findings.add("state", .text("unusable"))
            findings.problems.append(reason)
        case .owned:
            findings.add("state", .text("in use"))
            findings.problems.append(Self.inUse)
            if case .stats = action { try await addTotals(to: &findings) }
        case .free:
            try await perform(&findings)
        }
        return findings
    }

    private func perform(_ findings: inout CacheFindings) async throws {
        if case .stats = action {
            findings.add("state", .text("free"))
            return try await addTotals(to: &findings)
        }
        let notices = Guarded<[String]>([])
        let opened = findings
        findings = try await withDiskCache(configuration { text in notices.withLock { $0.append(text) } }) {
            cache in
            var findings = opened
            switch cache.snapshot.access {
            case .owner: try await perform(on: cache, &findings)
            case .reader where cache.snapshot.unwritable != nil:
                // The reason is among the notices.
                findings.add("state", .text("not writable"))
                findings.add("entries", .count(cache.snapshot.entries))
                findings.add("bytes", .bytes(cache.snapshot.bytes))
            case .reader:
                // Another process opened the cache after the check of the folder.
                findings.add("state", .text("in use"))
                return findings.with(problem: Self.inUse)
            case .unusable(let reason):
                findings.add("state", .text("unusable"))
                return findings.with(problem: reason)
            case .opening, .ended:
                preconditionFailure("a cache that is neither open nor unusable: \(cache.snapshot.access)")
            }
            return findings
        }
        // Reports each notice once; a damaged entry is also counted.
        findings.problems += notices.withLock { $0 }.filter { !findings.problems.contains($0) }
    }

    private func perform(on cache: DiskCache, _ findings: inout CacheFindings) async throws {
        findings.add("state", .text("free"))
        // After a flush, the writer has counted all entries.
        try await cache.flush()
        let before = cache.snapshot
        switch action {
        case .stats: break
        case .verify: findings.add(try await cache.verify())
        case .clear:
            cache.removeAll()
            try await cache.flush()
            try await withBeginnings { $0.removeAll() }
        case .remove(let sources):
            for source in sources { await cache.removeEntries(in: source) }
            try await cache.flush()
            try await withBeginnings { for source in sources { $0.removeAll(in: source) } }
        case .trim(let size): try await cache.trim(to: size)
        }
        let now = cache.snapshot
        if case .verify = action {
        } else {
            findings.add("removed entries", .count(before.entries - now.entries))
            findings.add("removed bytes", .bytes(ByteCount(before.bytes.bytes - now.bytes.bytes)))
        }
        findings.add("entries", .count(now.entries))
        findings.add("bytes", .bytes(now.bytes))
    }

    /// Runs `body` with the stored beginnings of interrupted downloads, on a thread that may block.
    private func withBeginnings(_ body: @escaping @Sendable (PartialDownloads) -> Void) async throws {
        try await withThreadExecutor(name: "partial", threads: 1) { disk in
            try await disk.run { [folder] in body(PartialDownloads(in: folder)) }
        }
    }

    /// Adds the size of the cache without taking ownership of it.
    private func addTotals(to findings: inout CacheFindings) async throws {
        var configuration = configuration { _ in }
        configuration.isReadOnly = true
        let snapshot = try await withDiskCache(configuration) { $0.snapshot }
        if case .unusable(let reason) = snapshot.access { return findings.problems.append(reason) }
        findings.add("entries", .count(snapshot.entries))
        findings.add("bytes", .bytes(snapshot.bytes))
    }

    private func configuration(_ onNotice: @escaping @Sendable (String) -> Void) -> DiskCacheConfiguration {
        var configuration = DiskCacheConfiguration(folder: folder)
        configuration.onNotice = onNotice
        // The usual limit is not known here, and this command must not remove entries because of another one.
        configuration.limit = .mebibytes(1 << 30)
        if case .trim(let size) = action { configuration.limit = size }
        return configuration
    }
}
