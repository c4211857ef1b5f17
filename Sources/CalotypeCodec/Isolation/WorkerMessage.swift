import CWorkerShim
import CalotypeCore
import Glibc

/// A message between the program and a worker; what is larger lies in the memory that they share.
enum WorkerMessage: Hashable {
    /// The worker waits for its first job, and speaks this version.
    case ready(version: UInt64)
    /// A job: its number, the bytes of its record at the beginning of the memory, those of the source after it, or none
    /// where the source is a file that comes with the message.
    case job(number: UInt64, record: Int, source: Int?)
    /// The job of that number is done; its record lies there in the memory.
    case done(number: UInt64, record: Range<Int>)

    /// The version of the messages and records: a worker of another build is refused.
    static let version: UInt64 = 1
    static let noWords = [UInt64](repeating: 0, count: Int(cworker_words))

    /// Longer than any record or source, and far from overflow.
    private static let most: UInt64 = 1 << 48

    var words: [UInt64] {
        switch self {
        case .ready(let version): [1, version, 0, 0]
        case .job(let number, let record, let source):
            [2, number, UInt64(record), source.map { UInt64($0) + 1 } ?? 0]
        case .done(let number, let record): [3, number, UInt64(record.lowerBound), UInt64(record.count)]
        }
    }

    /// Reads a message; the words may be anything.
    init(_ words: [UInt64]) throws(SystemError) {
        guard words.count == Self.noWords.count, words[2] < Self.most, words[3] < Self.most else {
            throw Self.damage
        }
        let numbers = (Int(words[2]), Int(words[3]))
        switch words[0] {
        case 1: self = .ready(version: words[1])
        case 2: self = .job(number: words[1], record: numbers.0, source: numbers.1 > 0 ? numbers.1 - 1 : nil)
        case 3: self = .done(number: words[1], record: numbers.0..<numbers.0 + numbers.1)
        default: throw Self.damage
        }
    }

    private static var damage: SystemError { SystemError("read a message", code: EBADMSG) }
}
