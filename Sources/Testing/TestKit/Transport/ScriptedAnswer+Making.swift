public import CalotypeCore

extension ScriptedAnswer {
    /// Status 200 with `bytes` as its body, at once.
    public static func bytes(_ bytes: [UInt8]) -> ScriptedAnswer {
        ScriptedAnswer(body: [.bytes(bytes)])
    }

    /// A status with an empty body, at once.
    public static func status(
        _ status: Int,
        headers: KeyValuePairs<String, String> = [:]
    ) -> ScriptedAnswer {
        ScriptedAnswer(status: status, headers: headers)
    }

    /// A redirect to `target`, which may be relative.
    public static func redirect(to target: String, status: Int = 302) -> ScriptedAnswer {
        ScriptedAnswer(status: status, headers: ["Location": target])
    }

    /// No answer, ever; the request's timeouts end it.
    public static let never = ScriptedAnswer(beforeHead: [.forever])

    /// No answer, but an error.
    public static func failure(_ error: CalotypeError) -> ScriptedAnswer {
        ScriptedAnswer(beforeHead: [.failure(error)])
    }

    /// The answer, but its head comes only after `step`; of several the last one given is the first to happen.
    public func after(_ step: ScriptedStep) -> ScriptedAnswer {
        replacing(beforeHead: [step] + beforeHead)
    }

    /// The answer with its body in pieces of at most `size` and a pause before each.
    public func inPieces(of size: ByteCount, every pause: Duration) -> ScriptedAnswer {
        replacing(
            body: body.flatMap { $0.inPieces(of: size.bytes) }.flatMap { step in
                if case .bytes = step { [.pause(pause), step] } else { [step] }
            }
        )
    }

    /// The answer up to `count` of its body, and then `steps`; the head announces what it did.
    ///
    /// Without steps the body is cut: the reader gets `truncated_body` where a length was announced.
    public func cut(after count: ByteCount, then steps: ScriptedStep...) -> ScriptedAnswer {
        replacing(body: body.prefix(bytes: count.bytes) + steps)
    }
}
