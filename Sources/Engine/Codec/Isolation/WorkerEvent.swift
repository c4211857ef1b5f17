import CalotypeCWorkerShim
import CalotypeCore
import Glibc

/// Wakes a thread that waits for descriptors.
final class WorkerEvent: Sendable {
    private let file: OpenFile

    init() throws(SystemError) {
        let descriptor = cworker_make_event()
        guard descriptor >= 0 else { throw SystemError("make an event counter") }
        file = OpenFile(descriptor: descriptor)
    }

    var descriptor: Int32 { file.descriptor }

    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(file.descriptor, &one, 8)
    }

    /// Forgets the wake-ups so far.
    func reset() {
        var count: UInt64 = 0
        _ = unsafe read(file.descriptor, &count, 8)
    }
}
