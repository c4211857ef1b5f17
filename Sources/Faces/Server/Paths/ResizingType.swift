internal import CalotypeCore

/// How a box is filled, in the words of paths.
enum ResizingType: String, CaseIterable, Hashable, Sendable {
    case fit, fill
    case fillDown = "fill-down"
    case force, auto

    var mode: Transform.Mode {
        switch self {
        case .fit: .fit
        case .fill: .fillPartly
        case .fillDown: .fill
        case .force: .stretch
        case .auto: .auto
        }
    }
}
