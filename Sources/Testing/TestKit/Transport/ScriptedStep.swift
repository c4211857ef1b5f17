public import CalotypeCore
public import TaskFlowTesting

/// A step of a scripted origin: something it does, or a wait for the reader.
public enum ScriptedStep: Sendable {
    /// Nothing arrives for a time, measured by the transport's clock.
    case pause(Duration)
    /// Nothing arrives until the event has happened.
    case until(Event)
    /// Nothing more arrives; the request's timeouts end it.
    case forever
    /// The origin takes this many bytes of the request's body, or all that are left.
    ///
    /// A response without this step takes the whole body first; one that has it leaves the rest unsent.
    case receive(ByteCount)
    /// Bytes of the body; not allowed before the head.
    case bytes([UInt8])
    /// The exchange fails.
    case failure(CalotypeError)
}

extension ScriptedStep {
    /// Whether the reader may have to wait.
    var takesTime: Bool {
        switch self {
        case .pause, .until, .forever: true
        case .receive, .bytes, .failure: false
        }
    }

    /// Whether bytes of the request's body are taken.
    var receives: Bool {
        if case .receive = self { true } else { false }
    }

    /// The bytes of the body in this step.
    var byteCount: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }

    /// Returns the step with its bytes in pieces of at most `size`, none of them empty.
    func inPieces(of size: Int) -> [ScriptedStep] {
        guard case .bytes(let bytes) = self else { return [self] }
        guard bytes.count > size else { return bytes.isEmpty ? [] : [self] }
        return stride(from: 0, to: bytes.count, by: max(size, 1)).map { start in
            .bytes(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }
}

extension [ScriptedStep] {
    /// The bytes of the body in these steps.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// Returns the steps up to the one that delivers the last of `count` bytes.
    func prefix(bytes count: Int) -> [ScriptedStep] {
        var left = count
        var steps: [ScriptedStep] = []
        for step in self where left > 0 {
            if case .bytes(let bytes) = step {
                steps.append(.bytes([UInt8](bytes.prefix(left))))
                left -= bytes.count
            } else {
                steps.append(step)
            }
        }
        return steps
    }
}

extension ScriptedStep: CustomStringConvertible {
    /// A short description of the step.
    public var description: String {
        switch self {
        case .pause(let time): "pause \(time)"
        case .until(let event): event.hasHappened ? "event" : "waiting event"
        case .forever: "forever"
        case .receive(let count): "receive \(count)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .failure(let error): error.code.rawValue
        }
    }
}
