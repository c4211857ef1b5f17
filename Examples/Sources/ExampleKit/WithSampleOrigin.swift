import CalotypeCodec
package import CalotypeOrigin
import CalotypeSamplePictures

/// Runs `body` with an origin of small drawn pictures in this process, and returns when the origin has ended.
///
/// - Parameters:
///   - pictures: Number of pictures; they are drawn before `body` begins.
///   - faults: The faults to simulate, such as `latency=50ms,404=5%`.
///   - body: Uses the origin.
/// - Returns: The result of `body`.
/// - Throws: What `body` throws, or why the origin could not be started.
package func withSampleOrigin<Output>(
    pictures: Int = 12,
    faults: String = "",
    _ body: (Origin) async throws -> Output
) async throws -> Output {
    let plan = try FaultPlan(parsing: faults)
    let collection = SampleCollection(count: pictures, megapixels: 0.02...0.05)
    return try await withImageCodec { codec in
        try await withSampleRenderer(collection, codec: codec) { renderer in
            try await renderer.renderAll()
            var configuration = OriginConfiguration(pictures: DrawnPictures(renderer))
            configuration.faults = plan
            return try await withOrigin(configuration) { try await body($0) }
        }
    }
}
