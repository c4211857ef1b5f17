import CalotypeCore
import Glibc

/// What the process holds at one moment, as far as a quiet check looks at it.
struct ProcessHoldings {
    private var descriptors: Set<String> = []
    private var threads: [String] = []
    private var files: Set<String> = []
    private var processes: Set<String> = []

    init(_ options: QuietCheck.Options) {
        if options.descriptors { descriptors = Set(Self.openDescriptors()) }
        if !options.threads.isEmpty { threads = Self.threadNames(options.threads) }
        if options.processes { processes = Set(Self.childProcesses()) }
        if let folder = options.folder { files = Set(Self.names(in: folder).map { "\(folder)/\($0)" }) }
    }

    /// What there is more than before.
    func leftovers(since before: ProcessHoldings) -> [String] {
        descriptors.subtracting(before.descriptors).sorted().map { "descriptor \($0)" }
            + files.subtracting(before.files).sorted().map { "file \($0)" }
            + newThreads(before.threads).map { "thread \($0)" }
            + processes.subtracting(before.processes).sorted().map { "process \($0)" }
    }

    /// Threads of one name may be several, and one of them ends as another begins.
    private func newThreads(_ before: [String]) -> [String] {
        var before = before
        return threads.filter { name in
            guard let index = before.firstIndex(of: name) else { return true }
            before.remove(at: index)
            return false
        }
    }

    /// Number and target of each, such as `7 (socket:[1234])`.
    private static func openDescriptors() -> [String] {
        names(in: "/proc/self/fd").compactMap { number in
            // What cannot be read any more has been closed since, as that of the listing itself.
            target(of: "/proc/self/fd/\(number)").map { "\(number) (\($0))" }
        }
    }

    private static func threadNames(_ beginnings: [String]) -> [String] {
        names(in: "/proc/self/task").compactMap { id in
            line(of: "/proc/self/task/\(id)/comm")
        }.filter { name in beginnings.contains { name.hasPrefix($0) } }.sorted()
    }

    /// The number of each, those that have ended and were not waited for among them.
    private static func childProcesses() -> [String] {
        names(in: "/proc/self/task").flatMap { id in
            (line(of: "/proc/self/task/\(id)/children") ?? "").split(separator: " ").map(String.init)
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let listing = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(listing) }
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func target(of link: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &target, target.count)
        guard count >= 0 else { return nil }
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The first line of a short file; `nil` where it is gone.
    private static func line(of path: String) -> String? {
        guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
