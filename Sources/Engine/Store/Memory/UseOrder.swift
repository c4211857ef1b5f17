/// Places, numbered from 0, in the order of their last use.
///
/// They are linked by number in one array, so that every operation takes constant time and nothing is shifted; a place
/// that becomes free is given out again. It knows no keys or values: code that is not generic is compiled once, and fast.
package struct UseOrder: Sendable {
    private struct Links: Sendable {
        var newer: Int?
        var older: Int?
    }

    private var links: [Links] = []
    private var freePlaces: [Int] = []
    private var newest: Int?
    package private(set) var oldest: Int?

    package init() {}

    /// Gives out a place, which counts as the one used last; a new one is the next higher number.
    package mutating func add() -> Int {
        let place = freePlaces.popLast() ?? links.count
        if place == links.count { links.append(Links()) }
        linkAsNewest(place)
        return place
    }

    /// Makes `place` the one used last.
    package mutating func touch(_ place: Int) {
        guard newest != place else { return }
        unlink(place)
        linkAsNewest(place)
    }

    package mutating func remove(_ place: Int) {
        unlink(place)
        freePlaces.append(place)
    }

    private mutating func linkAsNewest(_ place: Int) {
        links[place] = Links(newer: nil, older: newest)
        if let newest { links[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (links[place].newer, links[place].older)
        if let newer { links[newer].older = older } else { newest = older }
        if let older { links[older].newer = newer } else { oldest = newer }
    }
}
