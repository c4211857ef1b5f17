import Calotype
import CalotypeCodec
import CalotypeCommandLineKit

/// The option that says what is decoded in processes of their own, with a command's default.
struct DecoderOptions {
    /// The option.
    let isolate: Option<DecoderIsolation>
    private let usual: DecoderIsolation

    /// Declares the option for a command that isolates `usual` unless told otherwise.
    init(usual: DecoderIsolation) {
        self.usual = usual
        isolate = Option(
            "isolate",
            .cases as ValueType<DecoderIsolation>,
            default: usual.rawValue,
            """
            What to decode and encode in separate processes, so that an image that makes a library crash or \
            hang affects only itself: slow is what libvips handles, all is everything.
            """
        )
    }

    /// Sets `configuration` as the arguments say.
    func apply(_ arguments: ParsedArguments, to configuration: inout PipelineConfiguration) {
        configuration.codec.isolation = arguments[isolate] ?? usual
    }
}
