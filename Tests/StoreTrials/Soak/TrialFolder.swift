internal import FoundationEssentials

/// A folder for one trial, gone with it.
package struct TrialFolder: ~Copyable {
    package let path: String

    /// Creates the folder where temporary files go.
    package init(_ name: String) throws {
        path = FileManager.default.temporaryDirectory.path + "/calotype-\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed stays.
        try? FileManager.default.removeItem(atPath: path)
    }
}
