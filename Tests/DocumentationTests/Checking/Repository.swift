import Foundation

/// The files of the repository that this test was compiled in.
struct Repository {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    /// The modules whose documentation comments are read like pages.
    private let commentedModules = [
        "Engine/Calotype", "Faces/Catalog", "Testing/TestKit", "Foundations/TaskFlow",
    ]

    /// The README, every page of a documentation catalog, and the documentation comments of some modules.
    func pages() throws -> [(name: String, text: String)] {
        let catalogs = try files(below: "Sources") { $0.hasSuffix(".md") && $0.contains(".docc/") }
        let pages = try (["README.md"] + catalogs).map { (name: $0, text: try text(of: $0)) }
        let sources = try commentedModules.flatMap { module in
            try files(below: "Sources/\(module)") { $0.hasSuffix(".swift") }
        }
        return try pages + sources.map { (name: $0, text: comments(in: try text(of: $0))) }
    }

    func snippets() throws -> [Snippet] {
        try files(below: "Tests/DocumentationTests") { $0.hasSuffix(".swift") && !$0.contains("/Checking/") }
            .flatMap { Snippet.all(in: try text(of: $0)) }
    }

    func files(below folder: String, where isWanted: (String) -> Bool) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .map { "\(folder)/\($0)" }
            .filter(isWanted)
            .sorted()
    }

    func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The text of the comments, line for line.
    private func comments(in source: String) -> String {
        source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let comment = line.drop(while: \.isWhitespace)
            return comment.hasPrefix("///") ? String(comment.dropFirst(3)) : ""
        }.joined(separator: "\n")
    }
}
