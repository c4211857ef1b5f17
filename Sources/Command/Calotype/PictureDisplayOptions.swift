import CalotypeCommandLineKit
import CalotypeTerminal

/// How pictures are shown on the terminal; the commands that show some share it.
enum PictureDisplayOptions {
    static let pictures = Option(
        "pictures",
        .cases as ValueType<PictureStyle.Choice>,
        default: "auto",
        """
        How to show images in the terminal: with kitty's protocol, as sixels, as coloured characters, or not \
        at all. auto chooses the best that the terminal is known to support, and none if libchafa is \
        missing.
        """
    )

    static func style(_ arguments: ParsedArguments, on output: TerminalOutput) -> PictureStyle {
        guard output.isTerminal else { return .none }
        return .chosen(
            arguments[pictures] ?? .auto,
            environment: EnvironmentVariables.all,
            isTerminal: output.isTerminal
        )
    }
}
