import CalotypeCScaler

/// Which loops scale: tests compare them, everything else takes the fastest.
enum ScalerKernels: CaseIterable {
    /// Those that every processor of this kind runs.
    case baseline
    /// Those that suit this processor best.
    case fastest

    /// The loops.
    var loops: cscaler_kernels {
        switch self {
        case .baseline: unsafe cscaler_baseline().pointee
        case .fastest: unsafe cscaler_fastest().pointee
        }
    }
}
