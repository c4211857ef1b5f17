import Glibc

extension Workout {
    /// A run of half an hour, with its route read from a GPX file of `points` points.
    static func sample(_ name: String, points: Int) throws -> Workout {
        Workout(
            name: name,
            minutes: 30,
            metres: 5200,
            samples: (0..<60).map { HeartRateSample(second: $0 * 30, beatsPerMinute: 110 + ($0 * 7) % 50) },
            route: try GPXReader.points(in: sampleGPX(points: points))
        )
    }

    /// A GPX file of a route that winds round a park.
    static func sampleGPX(points: Int) -> String {
        let lines = (0..<points).map { index in
            let angle = Double(index) / Double(points) * 2 * .pi
            let latitude = 51.5313 + 0.004 * sin(angle) + 0.0004 * cos(9 * angle)
            let longitude = -0.1570 + 0.007 * cos(angle)
            return "      <trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>31</ele></trkpt>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="SaveWorkout" xmlns="http://www.topografix.com/GPX/1/1">
              <trk>
                <!-- <trkpt lat="0" lon="0"> is a comment, not a point. -->
                <trkseg>
            \(lines.joined(separator: "\n"))
                </trkseg>
              </trk>
            </gpx>
            """
    }
}
