package import CalotypeCore
package import CalotypeStore
package import TaskFlow

/// The work that writers do until they are killed.
package struct SoakSettings: Sendable {
    /// The tasks of a writer, each with keys of its own.
    package static let lanes = 4
    package static let keys = 400
    /// So small that values are removed all the time.
    package static let limit = ByteCount.mebibytes(3)

    /// Where the cache is, and the notes of its writers.
    package let folder: String
    package let seed: UInt64

    package init(folder: String, seed: UInt64) {
        (self.folder, self.seed) = (folder, seed)
    }

    package var ledgerPath: String { folder + "/ledger" }
    package var cachePath: String { folder + "/cache" }

    package var configuration: DiskCacheConfiguration {
        var configuration = DiskCacheConfiguration(folder: cachePath)
        configuration.limit = Self.limit
        configuration.inlineLimit = .kibibytes(4)
        return configuration
    }

    package func random(_ round: Int, _ lane: Int) -> SplitMix64 {
        SplitMix64(seed: seed &* 0x9E37_79B9 &+ UInt64(round) << 8 &+ UInt64(lane))
    }
}
