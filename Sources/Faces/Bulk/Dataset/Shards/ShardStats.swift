import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The counts of a shard, as `00000_stats.json` has them.
struct ShardStats: Sendable {
    var count = 0
    var successes = 0
    var failedToDownload = 0
    var failedToResize = 0
    /// The number of samples for `success` and for each error code.
    var codes: [String: Int] = [:]
    /// When the shard was begun and completed, in seconds since 1970.
    var times = (start: 0.0, end: 0.0)
    /// Identifies the lines of the list.
    var list = ""
    var files: [ShardFile] = []

    mutating func count(_ sample: Sample) {
        count += 1
        switch sample.status {
        case .success: successes += 1
        case .failedToDownload: failedToDownload += 1
        case .failedToResize: failedToResize += 1
        }
        codes[sample.code?.rawValue ?? sample.status.rawValue, default: 0] += 1
    }

    /// The file's content: the keys of img2dataset, then our own.
    var json: String {
        var object = JSONObject()
        object.add("count", count)
        object.add("successes", successes)
        object.add("failed_to_download", failedToDownload)
        object.add("failed_to_resize", failedToResize)
        object.add("duration", times.end - times.start)
        object.add("start_time", times.start)
        object.add("end_time", times.end)
        var status = JSONObject()
        for (code, count) in codes.sorted(by: { $0.key < $1.key }) { status.add(code, count) }
        object.add("status_dict", status)
        object.add("list", string: list)
        object.add(
            "files",
            objects: files.map { file in
                var object = JSONObject()
                object.add("name", string: file.name)
                object.add("bytes", file.bytes)
                object.add("sha256", string: file.sha256)
                return object
            }
        )
        return object.text
    }

    /// The current time in seconds since 1970.
    static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1e6
    }
}
