/// A first-in, first-out queue whose operations take (amortised) constant time.
///
/// Inlined, because otherwise each operation looks up its types: every HTTP request has several queues.
package struct FIFO<Element> {
    @usableFromInline var items: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { items.count - head }
    @inlinable
    package var isEmpty: Bool { count == 0 }
    @inlinable
    package var first: Element? { head < items.count ? items[head] : nil }

    @inlinable
    package mutating func append(_ element: Element) {
        items.append(element)
    }

    @inlinable
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
