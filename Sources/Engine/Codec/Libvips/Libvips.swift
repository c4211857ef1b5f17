import CalotypeCPOSIX
import CalotypeCPictures
public import CalotypeCore
import CalotypeFiles
import TaskFlow

/// The libvips library, which a process loads and starts once, with the first picture that needs it.
enum Libvips {
    private enum State {
        case untried
        case started
        case failed(CodecError)
    }

    private static let state = Guarded(State.untried)

    /// Loads and starts the library once.
    ///
    /// If the process lacks descriptors to load it, the next call tries again.
    ///
    /// - Throws: `resource_shortage`.
    private static func load() throws(CalotypeError) -> CodecError? {
        try state.withLock { state throws(CalotypeError) in
            switch state {
            case .started: return nil
            case .failed(let failure): return failure
            case .untried: break
            }
            var text = noText
            guard unsafe cvips_start(&text, text.count) != 0 else {
                state = .started
                return nil
            }
            let failure = error(text)
            if let shortage = SystemError.descriptorShortage(opening: 8) {
                let message = "libvips cannot be loaded: \(shortage.reason)"
                throw CalotypeError(.resourceShortage, message, stage: .decode, cause: shortage)
            }
            state = .failed(failure)
            return failure
        }
    }

    /// The error of the call that has just failed.
    static func takeError() -> CodecError {
        var text = noText
        unsafe cvips_take_error(&text, text.count)
        return error(text)
    }

    private static var noText: [CChar] { [CChar](repeating: 0, count: 512) }

    /// The error for the C string in `text`, which may have several lines.
    private static func error(_ text: [CChar]) -> CodecError {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return .library(lines.joined(separator: "; "))
    }

    /// Phrases in the errors of libvips, libtiff and libheif for intact images of an unsupported kind.
    private static let refusals = [
        "not supported", "unsupported", "not implemented", "not configured", "not a whole number of bytes",
        "samples out of range", "security limit", "undefined bits per pixel",
    ]

    /// Whether `error` says that the image may be intact, but is of an unsupported kind.
    static func isRefusal(_ error: CodecError) -> Bool {
        let text = error.description.lowercased()
        return refusals.contains { text.contains($0) }
    }

    /// The number of running decodes, and of decodes that have started.
    private static let decodes = Guarded((running: 0, begun: 0))

    /// Runs `body`, which decodes and can check whether no other decode has run at the same time.
    ///
    /// libvips stores a single error text for all threads.
    static func decoding<Output>(_ body: (_ isAlone: () -> Bool) throws -> Output) rethrows -> Output {
        let (isFirst, number) = decodes.withLock { decodes in
            decodes.running += 1
            decodes.begun += 1
            return (decodes.running == 1, decodes.begun)
        }
        defer { decodes.withLock { $0.running -= 1 } }
        return try body { isFirst && decodes.withLock { $0.begun == number } }
    }

    /// Loads and starts libvips if necessary; any thread may call this.
    ///
    /// - Throws: `decoder_unavailable`; `resource_shortage`.
    static func start() throws(CalotypeError) {
        guard let failure = try load() else { return }
        throw unavailable(failure)
    }

    private static let isGuarded = Guarded(false)

    /// Whether formats may be decoded that only worker processes decode: see ``ImageFormat/needsWorker``.
    static var allowsGuardedFormats: Bool { isGuarded.withLock(\.self) }

    /// Allows these formats in this process, which is a worker.
    static func allowGuardedFormats() {
        guard (try? start()) != nil else { return }
        cvips_allow_guarded()
        isGuarded.withLock { $0 = true }
    }

    private static let fonts = Guarded(0)

    /// Whether there are fonts for drawings with text.
    static var hasFonts: Bool { fonts.withLock { $0 > 0 } }

    /// Loads the files that libraries would open with the first picture that needs them.
    ///
    /// Fonts stay open, because a worker can open nothing else.
    static func loadPlugins() {
        guard (try? start()) != nil else { return }
        cvips_load_plugins()
        fonts.withLock { $0 = unsafe Int(cvips_load_fonts(csandbox_keep)) }
    }

    /// The error for a picture that only libvips decodes; a build without the trait has nothing to install.
    static func unavailable(_ failure: CodecError, isIncluded: Bool = isIncluded) -> CalotypeError {
        let remedy =
            isIncluded
            ? "libvips 8.14 or later (on Debian 12: apt-get install libvips42), which cannot be used: \(failure)"
            : "libvips, and this program was built without it; build it with the package trait Libvips"
        return CalotypeError(
            .decoderUnavailable,
            "this format, or this operation, needs \(remedy)",
            stage: .decode,
            cause: failure
        )
    }

    private static var isIncluded: Bool {
        #if Libvips
        true
        #else
        false
        #endif
    }
}

extension ErrorCode {
    /// The library that decodes pictures cannot be used on this machine.
    public static let decoderUnavailable = ErrorCode(rawValue: "decoder_unavailable")
}
