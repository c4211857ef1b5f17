import CalotypeCWorkerShim
public import CalotypeCore
import Glibc

/// How a worker process ended.
enum WorkerEnd: Hashable, CustomStringConvertible {
    case signal(Int32)
    case status(Int32)
    /// It was not started; an error number of the system.
    case unstarted(Int32)
    /// Its template has ended, and it with that.
    case orphaned

    var description: String {
        switch self {
        case .signal(let number): "it was ended by \(Self.name(number))"
        case .status(let number): "it ended with status \(number)"
        case .unstarted(let code): SystemError("start a process", code: code).description
        case .orphaned: "it ended with the process that starts workers"
        }
    }

    /// Two words for a message.
    var words: (kind: UInt64, number: UInt64) {
        switch self {
        case .signal(let number): (0, UInt64(UInt32(bitPattern: number)))
        case .status(let number): (1, UInt64(UInt32(bitPattern: number)))
        case .unstarted(let code): (2, UInt64(UInt32(bitPattern: code)))
        case .orphaned: (3, 0)
        }
    }

    /// Reads the words of a message; `nil` where they are none.
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
