import CalotypeCore
import Testing

@testable import CalotypeBulk

struct TextTests {
    @Test(arguments: [
        (0.0, 1, "0.0"), (1.25, 2, "1.25"), (9.999, 2, "10.00"), (-0.001, 2, "0.00"), (-1.5, 1, "-1.5"),
        (3.6, 0, "4"),
        (Double.nan, 1, "0"), (1.05, 3, "1.050"),
    ])
    func `decimals are rounded`(_ number: Double, _ places: Int, _ text: String) {
        #expect(Decimal.text(number, places: places) == text)
    }

    @Test(arguments: [(0.44, "0.4 s"), (12, "12 s"), (185, "3:05"), (3765, "1:02:45")])
    func `times read well`(_ seconds: Double, _ text: String) {
        #expect(Clocktime.text(.seconds(seconds)) == text)
    }

    @Test func `the summary is short and aligned`() {
        var summary = RunSummary()
        summary.succeeded = 2410
        summary.failed = 3
        summary.failures = [.http(status: 404): 2, .dnsFailed: 1]
        summary.wallTime = .seconds(40)
        summary.bytesIn = ByteCount(2_800_000_000)
        #expect(
            summary.text == """
                images    2410 created, 3 failed
                                2 http_404
                                1 dns_failed
                rate      60.3 images/s
                received  2.8 GB (70.0 MB/s)
                written   0 B
                time      40 s, 0.0 s of CPU
                memory    0 B peak

                """
        )
    }

    @Test func `a program reads the summary as the last object`() {
        var summary = RunSummary()
        summary.ending = .unwritable("full")
        (summary.succeeded, summary.failed, summary.stored) = (2, 1, 4)
        summary.failures = [.http(status: 404): 1]
        summary.cacheUses = [.hit: 1, .miss: 2]
        summary.problems = ["a \"b\""]
        #expect(
            summary.json == """
                {"event":"summary","ending":"unwritable","reason":"full","ok":2,"partial":0,"skipped":0,"failed":1,"cancelled":0,\
                "vanished":0,"failures":{"http_404":1},"cache":{"hit":1,"miss":2},"stored":4,"bytes_in":0,"files":0,\
                "bytes_out":0,"elapsed_s":0.000,"cpu_s":0.000,"peak_memory_bytes":0,"problems":["a \\"b\\""],"exit_code":1}
                """
        )
    }

    private static var progress: FetchProgress {
        var progress = FetchProgress()
        (progress.done, progress.succeeded, progress.failed, progress.active) = (100, 90, 10, 3)
        (progress.total, progress.isTotalEstimated) = (1000, true)
        progress.failures = [.http(status: 404): 3, .dnsFailed: 6, .timeoutTotal: 1]
        (progress.imagesPerSecond, progress.steadyImagesPerSecond) = (20, 10)
        progress.slowestHosts = [
            HostProgress(
                name: "a.test\u{1B}[2J",
                left: 400,
                imagesPerSecond: 2,
                connections: 4,
                isSetAside: false
            ),
            HostProgress(name: "b.test", left: 5, imagesPerSecond: 0.01, connections: 1, isSetAside: true),
        ]
        return progress
    }

    @Test
    func `the line shows the common failures and the slowest host, which may take longer than the rest`() {
        #expect(
            Self.progress.phrases == [
                "100/~1000", "10 failed", "20.0 images/s", "3:20 left", "0 B/s", "6 dns_failed", "3 http_404",
                "slowest a.test[2J: 400 left, 2.0/s",
            ]
        )
        var without = Self.progress
        without.slowestHosts = []
        #expect(without.remaining == .seconds(90))
        without.steadyImagesPerSecond = 0
        #expect(without.remaining == nil)
    }

    @Test func `a program reads the failures and the slowest hosts`() {
        let json = Self.progress.json
        #expect(json.contains("\"total\":1000,\"total_is_estimated\":true"))
        #expect(json.contains("\"failures\":{\"dns_failed\":6,\"http_404\":3,\"timeout_total\":1}"))
        let host =
            "{\"host\":\"b.test\",\"left\":5,\"images_per_second\":0.01,\"connections\":1,\"set_aside\":true}"
        #expect(json.hasSuffix("\(host)]}"))
    }

    @Test func `metrics have codes as labels and never a host`() {
        let text = MetricsFile.text(Self.progress)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines.prefix(6) == [
                "calotype_dataset_images_total{outcome=\"success\"} 90",
                "calotype_dataset_images_total{outcome=\"failed\"} 10",
                "calotype_dataset_images_total{outcome=\"skipped\"} 0",
                "calotype_dataset_failures_total{code=\"dns_failed\"} 6",
                "calotype_dataset_failures_total{code=\"http_404\"} 3",
                "calotype_dataset_failures_total{code=\"timeout_total\"} 1",
            ]
        )
        #expect(text.contains("\ncalotype_dataset_remaining_seconds 200.0\n") && !text.contains("test["))
    }

    @Test func `rates are of the last seconds, and of the last two minutes`() {
        var meter = RateMeter()
        for second in 0...100 { _ = meter.rates(at: .seconds(second), images: second, bytes: 0) }
        // After a pause of the whole run.
        for second in 101...129 { _ = meter.rates(at: .seconds(second), images: 100, bytes: 0) }
        let rates = meter.rates(at: .seconds(130), images: 100, bytes: 0)
        #expect(rates.images == 0 && rates.steadyImages > 0.7 && rates.steadyImages < 0.8)
    }

    @Test func `a hash never changes between versions`() {
        #expect(StableHash.hexadecimal("") == "6c62272e07bb014262b821756295c58d")
        #expect(StableHash.hexadecimal("a") == "d228cb696f1a8caf78912b704e4a8964")
    }
}
