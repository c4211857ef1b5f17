import CWorkerShim
public import CalotypeCore

/// How a worker process ended.
enum WorkerEnd: Hashable, CustomStringConvertible {
    case signal(Int32)
    case status(Int32)

    var description: String {
        switch self {
        case .signal(let number): "it was ended by \(Self.name(number))"
        case .status(let number): "it ended with status \(number)"
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
