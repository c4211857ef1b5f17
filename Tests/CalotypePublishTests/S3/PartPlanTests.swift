import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct PartPlanTests {
    @Test(
        arguments: [
            (.mebibytes(17), .mebibytes(8), 3), (.mebibytes(16), .mebibytes(8), 2),
            (ByteCount(ByteCount.mebibytes(16).bytes + 1), .mebibytes(8), 3),
            (ByteCount(1), .mebibytes(8), 1),
            (ByteCount(0), .mebibytes(8), 1), (.mebibytes(8 * 9000), .mebibytes(8), 9000),
            (ByteCount(ByteCount.mebibytes(8 * 9000).bytes + 1), .mebibytes(9), 8001),
            (.mebibytes(8 * 12_000), .mebibytes(11), 8728),
            (PartPlan.largestFile(), PartPlan.largestPart, 9000),
        ] as [(ByteCount, ByteCount, Int)]
    )
    func `parts are as large as keeps them below 9,000, in whole mebibytes`(
        _ size: ByteCount,
        _ partSize: ByteCount,
        _ count: Int
    ) throws {
        let plan = try PartPlan(size: size)
        #expect(plan.partSize == partSize)
        #expect(plan.count == count)
    }

    @Test func `parts follow one another without a gap up to the end`() throws {
        for size in [1, 8 << 20, (8 << 20) + 1, (100 << 20) - 7, 96_000 << 20] {
            let plan = try PartPlan(size: ByteCount(size))
            var end = 0
            for (index, part) in plan.parts.enumerated() {
                #expect(part.number == index + 1)
                #expect(part.offset.bytes == end)
                end += part.size.bytes
            }
            #expect(end == size)
        }
    }

    @Test func `a file that no parts are enough for is refused`() throws {
        let error = try #require(throws: CalotypeError.self) {
            try PartPlan(size: ByteCount(PartPlan.largestFile().bytes + 1))
        }
        #expect(error.code == .tooManyBytes)
    }

    @Test func `OpenStack Swift, which takes fewer parts, gets larger ones`() throws {
        let swift = HTTPHeaders([.init("X-Openstack-Request-Id", "tx1")])
        #expect(PartPlan.mostParts(swift) == 1000)
        #expect(PartPlan.mostParts(HTTPHeaders()) == 9000)
        let plan = try PartPlan(size: .mebibytes(20_000), mostParts: 1000)
        #expect(plan.partSize == .mebibytes(20))
        #expect(plan.count == 1000)
        #expect(throws: CalotypeError.self) {
            try PartPlan(size: ByteCount(PartPlan.largestPart.bytes + 1), mostParts: 1)
        }
    }

    @Test func `an upload that was begun keeps the size of its parts, unless S3 would refuse it`() throws {
        let size = ByteCount.mebibytes(100)
        #expect(try PartPlan(size: size, partSize: .mebibytes(10)).partSize == .mebibytes(10))
        for partSize in [0, -1, 1, 4 << 20, (5 << 30) + 1] {
            #expect(try PartPlan(size: size, partSize: ByteCount(partSize)).partSize == .mebibytes(8))
        }
        #expect(try PartPlan(size: .mebibytes(80_000), partSize: .mebibytes(8)).partSize == .mebibytes(9))
    }
}
