import Testing

@testable import CalotypeBulk

struct EntryQueueTests {
    private static func items(_ hosts: [String]) -> [ListItem] {
        hosts.enumerated().map { ListItem(index: $0.offset, url: "http://\($0.element)/\($0.offset)") }
    }

    private static func queue(
        _ hosts: [String],
        limit: Int = 100,
        perHost: Int,
        inOrder: Bool = false
    ) -> EntryQueue {
        var queue = EntryQueue(limit: limit, perHost: perHost, inOrder: inOrder)
        for item in items(hosts) { queue.add(item) }
        return queue
    }

    private static func begin(_ queue: inout EntryQueue) -> [ListItem] {
        var begun: [ListItem] = []
        while let item = queue.next() { begun.append(item) }
        return begun
    }

    @Test func `entries of the tail let others of their host go first`() {
        var queue = EntryQueue(limit: 100, perHost: 1, inOrder: false, tail: 10)
        for index in [10, 11, 3, 12, 4] { queue.add(ListItem(index: index, url: "http://a/\(index)")) }
        var order: [Int] = []
        while let item = queue.next() {
            order.append(item.index)
            queue.end(item)
        }
        #expect(order == [3, 4, 10, 11, 12])
        #expect(queue.isEmpty && queue.hasRoom)
    }

    @Test func `a host gets its share, and the others start immediately`() {
        var queue = Self.queue(["a", "a", "a", "b", "a", "c", "b"], perHost: 2)
        #expect(Self.begin(&queue).map(\.index) == [0, 1, 3, 5, 6])
        #expect(!queue.isEmpty)
    }

    @Test func `the entries of a host begin in the order of the list, one for each that ends`() {
        var queue = Self.queue(Array(repeating: "a", count: 5), perHost: 2)
        let begun = Self.begin(&queue)
        #expect(begun.map(\.index) == [0, 1])
        queue.end(begun[1])
        #expect(Self.begin(&queue).map(\.index) == [2])
        queue.end(begun[0])
        #expect(Self.begin(&queue).map(\.index) == [3])
    }

    @Test(arguments: [false, true])
    func `no more entries are held than the limit allows, however long the list`(_ inOrder: Bool) {
        var queue = EntryQueue(limit: 50, perHost: 4, inOrder: inOrder)
        var (read, ended, stuck, most) = (0, 0, 0, 0)
        while ended < 10_000 {
            while queue.hasRoom {
                queue.add(ListItem(index: read, url: "http://host\(read % 7)/\(read)"))
                read += 1
            }
            most = max(most, read - ended)
            guard let item = queue.next() else { break }
            // In order, all wait for the first.
            if inOrder, item.index == 0 { stuck += 1 } else { queue.end(item) }
            ended += 1
        }
        #expect(most == 50)
        #expect(inOrder ? stuck == 1 && ended == 50 : ended == 10_000)
        #expect(queue.hostCount <= 7)
    }

    @Test func `a host without entries is forgotten`() {
        var queue = Self.queue(["a", "b"], perHost: 1)
        for item in Self.begin(&queue) { queue.end(item) }
        #expect(queue.hostCount == 0 && queue.isEmpty)
    }

    @Test(arguments: [
        ("http://Host:80/a/b?c=://d", "host:80"), ("https://u:p@h?x@y", "h"), ("http://h#f", "h"),
        ("http://a@b@c/", "c"), ("a.jpg", ""), ("mailto:x", ""), ("", ""), ("http://", ""),
    ])
    func `the host is read from the URL as it is written`(_ url: String, _ host: String) {
        #expect(ListItem.host(of: url) == host)
    }
}
