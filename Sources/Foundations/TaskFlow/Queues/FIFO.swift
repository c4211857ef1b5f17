/// A first-in, first-out queue whose operations take (amortised) constant time.
package struct FIFO<Element> {
    private var items: [Element?] = []
    private var head = 0

    package init() {}

    package var count: Int { items.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { head < items.count ? items[head] : nil }

    package mutating func append(_ element: Element) {
        items.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        let first = items[head]
        items[head] = nil
        head += 1
        if head > 32 && head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
        return first
    }
}

extension FIFO: Sendable where Element: Sendable {}
