internal import CalotypePlatform
internal import TaskFlow

/// Requests as a picture cache sees them: a few objects often, many seldom, by Zipf's law, and others only once.
package struct ZipfMix {
    private let shares: [Double]
    private let onceShare: Double
    private let scanLength: Int
    private let scanPeriod: Int
    private var random: SplitMix64
    private var nextOnce = UInt64(1) << 40
    private var sent = 0

    /// Creates a mix.
    ///
    /// - Parameters:
    ///   - objects: The number of objects that are asked for again and again.
    ///   - exponent: How much more often the first ones are.
    ///   - onceShare: The share of requests for objects that are asked for only once.
    ///   - scanLength: The length of a run of requests for objects that are asked for only once.
    ///   - scanPeriod: How many requests pass from one such run to the next; none by default.
    ///   - seed: Makes the same requests again.
    package init(
        objects: Int,
        exponent: Double = 0.9,
        onceShare: Double = 0,
        scanLength: Int = 0,
        scanPeriod: Int = .max,
        seed: UInt64
    ) {
        var sum = 0.0
        shares = (1...objects).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
        self.onceShare = onceShare
        self.scanLength = scanLength
        self.scanPeriod = scanPeriod
        random = SplitMix64(seed: seed)
    }

    /// The next object.
    package mutating func next() -> UInt64 {
        sent += 1
        let isScan = sent % scanPeriod < scanLength && sent >= scanPeriod
        guard !isScan, Double.random(in: 0..<1, using: &random) >= onceShare else {
            nextOnce += 1
            return mixed(nextOnce)
        }
        let point = Double.random(in: 0..<(shares.last ?? 1), using: &random)
        return mixed(UInt64(rank(of: point)))
    }

    /// The first rank whose share reaches beyond `point`.
    private func rank(of point: Double) -> Int {
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Spreads numbers as a digest does.
    private func mixed(_ number: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: number)
        return numbers.next()
    }
}
