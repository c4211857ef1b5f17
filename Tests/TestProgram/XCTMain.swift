import Testing

/// Runs the tests of Swift Testing alone.
@main
struct TestProgram {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
