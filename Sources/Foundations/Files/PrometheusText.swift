/// Metrics in the text format of Prometheus (version 0.0.4).
package struct PrometheusText: Sendable {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    package enum Kind: String {
        case counter, gauge, histogram
    }

    private let prefix: String
    package private(set) var text = ""

    /// Creates a text in which all names start with `namespace` and an underscore.
    package init(namespace: String) {
        prefix = namespace.isEmpty ? "" : namespace + "_"
    }

    /// Starts the metric `name`.
    package mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind.rawValue)\n"
    }

    /// Writes a sample with a `label` such as `status="200"`, which must not contain input from outside.
    package mutating func sample(_ name: String, _ label: String = "", _ value: some Numeric) {
        text += prefix + name + (label.isEmpty ? "" : "{\(label)}") + " \(value)\n"
    }

    /// Writes a metric with a single value.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some Numeric) {
        metric(name, kind, help)
        sample(name, "", value)
    }
}
