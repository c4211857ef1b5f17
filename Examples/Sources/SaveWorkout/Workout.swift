/// A run as a watch has recorded it.
struct Workout: Sendable {
    /// How fast the heart beat at a moment.
    struct HeartRateSample: Sendable {
        var second: Int
        var beatsPerMinute: Int
    }

    /// Where the runner was, in degrees.
    struct TrackPoint: Hashable, Sendable {
        var latitude: Double
        var longitude: Double
    }

    var name: String
    var minutes: Int
    var metres: Int
    var samples: [HeartRateSample]
    var route: [TrackPoint]
}
