// Cancellation is a flag. Code that computes must look at it.
@main
struct Cancellation {
    static func main() async {
        let deaf = Task { sum(upTo: 1_000_000) }
        deaf.cancel()
        print("without a check:", await deaf.value)

        let polite = Task { try politeSum(upTo: 1_000_000) }
        polite.cancel()
        switch await polite.result {
        case .success(let sum): print("with a check:", sum)
        case .failure(let error): print("with a check:", type(of: error))
        }
    }

    static func sum(upTo count: Int) -> Int { (1...count).reduce(0, +) }

    static func politeSum(upTo count: Int) throws -> Int {
        var sum = 0
        for number in 1...count {
            if number.isMultiple(of: 1000) { try Task.checkCancellation() }
            sum += number
        }
        return sum
    }
}
