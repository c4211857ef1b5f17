// A group has no limit of its own. Start a few children, and one more for each that ends.
@main
struct Limit {
    static func main() async {
        let gauge = Gauge()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...100 {
                if number > 4 { await group.next() }
                group.addTask { await gauge.work() }
            }
        }
        print("at most \(await gauge.highest) at a time, \(await gauge.done) done")
    }
}

actor Gauge {
    private var running = 0
    private(set) var highest = 0
    private(set) var done = 0

    func work() async {
        running += 1
        highest = max(highest, running)
        // Others enter the actor during this await.
        try? await Task.sleep(for: .milliseconds(2))
        running -= 1
        done += 1
    }
}
