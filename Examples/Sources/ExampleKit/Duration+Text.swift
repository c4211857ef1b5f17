extension Duration {
    /// The duration in whole milliseconds, such as `12 ms`.
    package var milliseconds: String {
        "\(Int(self / .milliseconds(1))) ms"
    }

    /// The duration in milliseconds with one decimal, such as `0.3 ms`.
    package var tenths: String {
        "\((self / .milliseconds(0.1)).rounded() / 10) ms"
    }
}
