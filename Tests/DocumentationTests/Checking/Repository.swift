import Foundation

/// The files of the repository that this test was compiled in.
struct Repository {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    /// The README and every page of a documentation catalog.
    func pages() throws -> [(name: String, text: String)] {
        let catalogs = try files(below: "Sources") { $0.hasSuffix(".md") && $0.contains(".docc/") }
        return try (["README.md"] + catalogs).map { (name: $0, text: try text(of: $0)) }
    }

    func snippets() throws -> [Snippet] {
        try files(below: "Tests/DocumentationTests") { $0.hasSuffix(".swift") && !$0.contains("/Checking/") }
            .flatMap { Snippet.all(in: try text(of: $0)) }
    }

    private func files(below folder: String, where isWanted: (String) -> Bool) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .map { "\(folder)/\($0)" }
            .filter(isWanted)
            .sorted()
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
