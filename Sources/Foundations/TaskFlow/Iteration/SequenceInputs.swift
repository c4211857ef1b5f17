/// A sequence as the input of a concurrent iteration; it never suspends and never throws.
struct SequenceInputs<Base: Sequence & Sendable>: AsyncSequence, Sendable {
    typealias Element = Base.Element
    typealias Failure = Never

    let base: Base

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.Iterator

        mutating func next() async -> Element? {
            base.next()
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            base.next()
        }
    }
}
