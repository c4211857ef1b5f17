internal import CalotypeCodec

/// The memory of this process that is its own, as the kernel counts it.
package enum ResidentMemory {
    /// The anonymous part in bytes; zero where the system does not tell.
    package static func anonymousBytes() -> Int {
        // A file of /proc tells no length, so it cannot be read like others.
        guard let text = try? ProcessFile.text("/proc/self/status") else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
            return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
        return 0
    }
}
