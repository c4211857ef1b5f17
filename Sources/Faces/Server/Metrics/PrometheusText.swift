/// Metrics as Prometheus reads them (text format 0.0.4).
struct PrometheusText: Sendable {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter, gauge, histogram
    }

    private let prefix: String
    private(set) var text = ""

    /// Begins a text whose names all begin with `namespace` and an underscore.
    init(namespace: String) {
        prefix = namespace.isEmpty ? "" : namespace + "_"
    }

    /// Begins the metric called `name`.
    mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind.rawValue)\n"
    }

    /// Writes a value; `label` is such as `status="200"`, its value is the program's own.
    mutating func sample(_ name: String, _ label: String = "", _ value: some Numeric) {
        text += prefix + name + (label.isEmpty ? "" : "{\(label)}") + " \(value)\n"
    }

    /// A metric of one value.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some Numeric) {
        metric(name, kind, help)
        sample(name, "", value)
    }
}
