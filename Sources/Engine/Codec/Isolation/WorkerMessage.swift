import CalotypeCPOSIX
public import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// A message between the program, a template and a worker.
///
/// Larger data is in memory that two of them share.
enum WorkerMessage: Hashable {
    /// The process with this number waits for its first instruction, and uses this version.
    case ready(version: UInt64, process: Int)
    /// A job: its number, the length of its record at the start of the memory, and that of the source.
    ///
    /// The source follows in the memory, or is a file that arrives with the message.
    case job(number: UInt64, record: Int, source: Int, isFile: Bool)
    /// The job with this number is done; its record is in this range of the memory.
    case done(number: UInt64, record: Range<Int>)
    /// The process must become a template.
    case template
    /// Fork a worker; its socket, its memory and its leash arrive with the message.
    case fork
    /// The worker on the leash has ended.
    case ended(WorkerEnd)

    /// The version of the messages and records: a worker of another build is refused.
    static let version: UInt64 = 3
    static let noWords = [UInt64](repeating: 0, count: Int(cworker_words))

    /// Longer than any record or source, and far from overflow.
    private static let most: UInt64 = 1 << 48

    var words: [UInt64] {
        switch self {
        case .ready(let version, let process): [1, version, UInt64(process), 0]
        case .job(let number, let record, let source, let isFile):
            [2, number, UInt64(record), UInt64(source) << 1 | (isFile ? 1 : 0)]
        case .done(let number, let record): [3, number, UInt64(record.lowerBound), UInt64(record.count)]
        case .template: [4, 0, 0, 0]
        case .fork: [5, 0, 0, 0]
        case .ended(let end): [6, 0, end.words.kind, end.words.number]
        }
    }

    /// Reads a message; the words may be anything.
    init(_ words: [UInt64]) throws(SystemError) {
        guard words.count == Self.noWords.count, words[2] < Self.most, words[3] < Self.most else {
            throw Self.damage
        }
        let numbers = (Int(words[2]), Int(words[3]))
        switch words[0] {
        case 1: self = .ready(version: words[1], process: numbers.0)
        case 2:
            let (source, isFile) = (numbers.1 >> 1, numbers.1 & 1 == 1)
            self = .job(number: words[1], record: numbers.0, source: source, isFile: isFile)
        case 3: self = .done(number: words[1], record: numbers.0..<numbers.0 + numbers.1)
        case 4: self = .template
        case 5: self = .fork
        case 6:
            guard let end = WorkerEnd(kind: words[2], number: words[3]) else { throw Self.damage }
            self = .ended(end)
        default: throw Self.damage
        }
    }

    private static var damage: SystemError { SystemError("read a message", code: EBADMSG) }
}

/// How a worker process ended.
enum WorkerEnd: Hashable, CustomStringConvertible {
    case signal(Int32)
    case status(Int32)
    /// It was not started, because of this error number of the system.
    case unstarted(Int32)
    /// Its template has ended, and the worker with it.
    case orphaned

    var description: String {
        switch self {
        case .signal(SIGSYS): "it was killed by SIGSYS: it tried what its sandbox forbids"
        case .signal(let number): "it was killed by \(Self.name(number))"
        case .status(let number): "it exited with status \(number)"
        case .unstarted(let code): SystemError("start a process", code: code).description
        case .orphaned: "it ended together with the process that starts workers"
        }
    }

    /// The end as two words of a message.
    var words: (kind: UInt64, number: UInt64) {
        switch self {
        case .signal(let number): (0, UInt64(UInt32(bitPattern: number)))
        case .status(let number): (1, UInt64(UInt32(bitPattern: number)))
        case .unstarted(let code): (2, UInt64(UInt32(bitPattern: code)))
        case .orphaned: (3, 0)
        }
    }

    /// Reads the words of a message; `nil` if they are invalid.
    init?(kind: UInt64, number: UInt64) {
        guard let bits = UInt32(exactly: number) else { return nil }
        let number = Int32(bitPattern: bits)
        switch kind {
        case 0: self = .signal(number)
        case 1: self = .status(number)
        case 2: self = .unstarted(number)
        case 3: self = .orphaned
        default: return nil
        }
    }

    private static func name(_ signal: Int32) -> String {
        guard let name = unsafe cworker_signal_name(signal) else { return "signal \(signal)" }
        return unsafe "SIG\(String(cString: name))"
    }
}

extension ErrorCode {
    /// The process that decoded the picture crashed.
    public static let decoderCrashed = ErrorCode(rawValue: "decoder_crashed")
}
