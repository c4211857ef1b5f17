import CalotypeCore
import Glibc

extension OpenFile {
    /// Writes all of `bytes` from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, offset + done)
            }
            if count < 0, errno != EINTR { throw SystemError("write to shared memory") }
            done += max(count, 0)
        }
    }

    /// Gives back the memory beyond `count` bytes; what cannot be given back stays until the worker ends.
    func trim(to count: Int) {
        _ = ftruncate(descriptor, count)
    }
}
