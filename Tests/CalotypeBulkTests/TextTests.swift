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

    @Test func `a hash never changes between versions`() {
        #expect(StableHash.hexadecimal("") == "6c62272e07bb014262b821756295c58d")
        #expect(StableHash.hexadecimal("a") == "d228cb696f1a8caf78912b704e4a8964")
    }
}
