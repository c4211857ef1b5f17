import ExampleKit
import FoundationEssentials

/// Saves runs in a folder, completely or not at all, with callbacks and then with async code.
@main
struct Main {
    private static let root = FileManager.default.temporaryDirectory.appending(path: "workouts-\(UUID())")

    static func main() async {
        await Example.run {
            defer { try? FileManager.default.removeItem(at: root) }
            let saved = try await compare("A run with a route", Trial(workout: .sample("park", points: 400)))
            try Example.expect(saved.steps.count == 5 && saved.files.count == 3, "5 steps and 3 files")

            let indoors = try await compare(
                "A run without a route",
                Trial(workout: .sample("hall", points: 0))
            )
            try Example.expect(indoors.steps == [.save, .addSamples, .commit], "no step for the route")

            let long = try await compare(
                "A route that is too long",
                Trial(workout: .sample("far", points: 5000))
            )
            try Example.expect(long.steps.last == .insertRoute && long.files.isEmpty, "nothing is left")

            let cancelled = try await compare(
                "Cancelled while the samples are added",
                Trial(workout: .sample("park", points: 400), cancelAt: .addSamples)
            )
            try Example.expect(cancelled.outcome == "cancelled" && cancelled.files.isEmpty, "nothing is left")

            try await saveTwice()
            try refuseDamagedRoute()
        }
    }

    /// Runs the trial in both ways, each in an empty folder, and checks that the results are equal.
    private static func compare(_ title: String, _ trial: Trial) async throws -> Trial.Report {
        print(title)
        var reports: [Trial.Report] = []
        for way in Way.allCases {
            let report = try await trial.run(way, in: emptyFolder())
            print("  \(way.rawValue): \(report.outcome)")
            reports.append(report)
        }
        show(reports[0])
        try Example.expect(reports[0] == reports[1], "both ways have the same result")
        try Example.expect(reports[0].leftovers.isEmpty, "no draft is left")
        return reports[0]
    }

    /// Rejects the second of two workouts with one name, and leaves the first unchanged.
    private static func saveTwice() async throws {
        print("A name that is taken")
        let folder = try emptyFolder()
        let first = try await Trial(workout: .sample("park", points: 400)).run(.callbacks, in: folder)
        let second = try await Trial(workout: .sample("park", points: 7)).run(.async, in: folder)
        print("  second: \(second.outcome)")
        show(second)
        try Example.expect(second.outcome != "saved" && second.files == first.files, "the first one stays")
        try Example.expect(second.leftovers.isEmpty, "no draft is left")
    }

    /// Rejects a file that cannot be read before anything is written.
    private static func refuseDamagedRoute() throws {
        print("A damaged route")
        let gpx = Workout.sampleGPX(points: 3)
        for text in [String(gpx.dropLast(40)), gpx.replacing("lat=\"51", with: "lat=\"151"), "route"] {
            do {
                _ = try GPXReader.points(in: text)
                try Example.expect(false, "a damaged file is refused")
            } catch let error as GPXReader.SyntaxError {
                print("  refused: \(error)")
            }
        }
    }

    private static func show(_ report: Trial.Report) {
        let files = report.files.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value) bytes)" }
        print("  steps: \(report.steps.map(\.rawValue).joined(separator: ", "))")
        print("  files: \(files.isEmpty ? "none" : files.joined(separator: ", "))")
    }

    private static func emptyFolder() throws -> URL {
        let folder = root.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
