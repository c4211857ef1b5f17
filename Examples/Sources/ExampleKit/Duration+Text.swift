extension Duration {
    /// Whole milliseconds, such as `12 ms`.
    package var milliseconds: String {
        "\(Int(self / .milliseconds(1))) ms"
    }
}
