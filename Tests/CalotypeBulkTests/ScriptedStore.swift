import CalotypeBulk
import CalotypeFiles
import CalotypePlatform
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

/// A store of shards in memory, which fails or hangs where a test says so.
final class ScriptedStore: ShardStoring {
    enum Fault: Sendable {
        case fail(any Error)
        /// Waits for a cancel, before or after it has stored the file.
        case hang(after: Bool)
        /// Waits for ``ScriptedStore/release()``.
        case wait
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var order: [String] = []
        var faults: [Int: Fault] = [:]
        var usualFault: Fault?
        var callCount = 0
    }

    let address: String
    /// The files for which a call waits.
    let hanging = Recorder<String>()
    private let state = Guarded(State())
    private let gate = Latch<Void>()

    init(_ address: String = "s3://pictures/cats") { self.address = address }

    var objects: [String: [UInt8]] { state.withLock(\.objects) }
    /// The names of the files in the order in which they were stored.
    var order: [String] { state.withLock(\.order) }

    func put(_ bytes: [UInt8]?, as name: String) { state.withLock { $0.objects[name] = bytes } }

    /// Makes the call with this number, counted from 0 and from now on, end in `fault`; `nil` for each call.
    func fault(_ number: Int?, _ fault: Fault?) {
        state.withLock { state in
            if let number { state.faults[state.callCount + number] = fault } else { state.usualFault = fault }
        }
    }

    /// Ends all waits, and those to come.
    func release() { gate.set(()) }

    func check() async throws {}

    func store(_ path: String, as name: String) async throws {
        let fault = state.withLock { state in
            defer { state.callCount += 1 }
            return state.faults.removeValue(forKey: state.callCount) ?? state.usualFault
        }
        switch fault {
        case .fail(let error): throw error
        case .wait:
            hanging.record(name)
            _ = try await gate.wait()
        case .hang(after: false): try await hang(name)
        case .hang(after: true):
            try add(path, as: name)
            try await hang(name)
        case nil: break
        }
        try add(path, as: name)
    }

    private func add(_ path: String, as name: String) throws {
        let file = try OpenFile(path, O_RDONLY)
        let bytes = try file.read(Int(file.status().st_size), at: 0)
        try state.withLock { state in
            switch state.objects[name] {
            case nil:
                state.objects[name] = bytes
                state.order.append(name)
            case .some(let found) where found == bytes: break
            case .some: throw BulkError("\(name) exists and has other contents")
            }
        }
    }

    private func hang(_ name: String) async throws {
        hanging.record(name)
        _ = try await Latch<Void>().wait()
    }
}
