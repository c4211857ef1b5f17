// Blocks of regular data. Each function returns whether the data is regular; if not, the block at the cursor is
// read again, coefficient by coefficient.
extension Band {
    /// Reads the band's first scan, for the blocks up to `stop` or until `limit` of the bits.
    func begin(
        _ words: Span<UInt64>,
        _ end: Int,
        _ limit: Int,
        _ lookup: Span<UInt32>,
        _ old: Span<Int16>,
        _ masks: inout MutableSpan<UInt64>,
        _ base: Int,
        _ out: inout MutableSpan<Int16>,
        _ cursor: inout BandCursor,
        _ stop: Int
    ) -> Bool {
        let (below, above) = (below, ~(below | mask))
        var place = cursor
        repeat {
            let index = base &+ place.column
            let before = masks[index]
            if before & below != 0 { Self.copy((before & below).nonzeroBitCount, old, &out, &place) }
            if place.endRun > 0 {
                place.endRun &-= 1
            } else {
                guard let new = newBlock(words, lookup, &out, &place), place.position <= end else {
                    return false
                }
                masks[index] = before | new
            }
            if before & above != 0 { Self.copy((before & above).nonzeroBitCount, old, &out, &place) }
            place.column &+= 1
            cursor = place
        } while place.column < stop && place.position < limit
        return true
    }

    /// Reads a scan that adds a bit to the band, for the blocks up to `stop` or until `limit` of the bits.
    func refine(
        _ words: Span<UInt64>,
        _ end: Int,
        _ limit: Int,
        _ lookup: Span<UInt32>,
        _ old: Span<Int16>,
        _ masks: inout MutableSpan<UInt64>,
        _ base: Int,
        _ out: inout MutableSpan<Int16>,
        _ cursor: inout BandCursor,
        _ stop: Int
    ) -> Bool {
        let (below, above) = (below, ~(below | mask))
        var place = cursor
        repeat {
            let index = base &+ place.column
            let before = masks[index]
            if before & below != 0 { Self.copy((before & below).nonzeroBitCount, old, &out, &place) }
            var (number, after) = (start, before)
            if place.endRun == 0 {
                guard let new = finerBlock(words, lookup, old, &out, &place, before, &number) else {
                    return false
                }
                after |= new
            }
            if place.endRun > 0 {
                let rest = number < 64 ? before & mask & (~0 &<< UInt64(number)) : 0
                if rest != 0 { correct(rest.nonzeroBitCount, words, old, &out, &place) }
                place.endRun &-= 1
            }
            guard place.position <= end else { return false }
            masks[index] = after
            if before & above != 0 { Self.copy((before & above).nonzeroBitCount, old, &out, &place) }
            place.column &+= 1
            cursor = place
        } while place.column < stop && place.position < limit
        return true
    }

    /// Reads the new coefficients of a block; returns their numbers, `nil` for irregular data.
    @inline(__always)
    private func newBlock(
        _ words: Span<UInt64>,
        _ lookup: Span<UInt32>,
        _ out: inout MutableSpan<Int16>,
        _ place: inout BandCursor
    ) -> UInt64? {
        var new: UInt64 = 0
        var number = start
        var bits = words.bits(at: place.position)
        var used = 0
        while number <= self.end {
            // A coefficient takes 31 bits at most.
            if used > 32 {
                place.position &+= used
                bits = words.bits(at: place.position)
                used = 0
            }
            let entry = lookup[Int(truncatingIfNeeded: bits &>> 54)]
            var value = Int16(truncatingIfNeeded: entry &>> 16)
            var length = Int(truncatingIfNeeded: entry & 63)
            if value != 0 {
                number &+= Int(truncatingIfNeeded: entry &>> 6 & 15)
            } else {
                var symbol = Int(truncatingIfNeeded: entry &>> 8 & 255)
                if length == 0 {
                    let found = code.decode(bits)
                    guard found.isCode else { return nil }
                    (symbol, length) = (found.symbol, found.length)
                }
                let (run, size) = (symbol &>> 4, symbol & 15)
                let rest = bits &<< UInt64(truncatingIfNeeded: length)
                if size == 0, run < 15 {
                    let extra = Int(
                        truncatingIfNeeded: (rest &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- run)
                    )
                    place.endRun = (1 &<< run) &+ extra &- 1
                    used &+= length &+ run
                    break
                }
                number &+= run
                if size > 0 {
                    guard size &+ low <= 15 else { return nil }
                    let extra = Int(truncatingIfNeeded: rest &>> UInt64(truncatingIfNeeded: 64 &- size))
                    value = Int16(truncatingIfNeeded: extended(extra, size: size) &<< low)
                    length &+= size
                }
            }
            bits &<<= UInt64(truncatingIfNeeded: length)
            used &+= length
            if value != 0 {
                guard number <= self.end else { return nil }
                out[place.written] = value
                place.written &+= 1
                new |= 1 &<< UInt64(truncatingIfNeeded: number)
            }
            number &+= 1
        }
        place.position &+= used
        return new
    }

    /// Reads a block's new coefficients and the bits of the others before them, up to `number`.
    ///
    /// Returns the numbers of the new ones, `nil` for irregular data.
    @inline(__always)
    private func finerBlock(
        _ words: Span<UInt64>,
        _ lookup: Span<UInt32>,
        _ old: Span<Int16>,
        _ out: inout MutableSpan<Int16>,
        _ place: inout BandCursor,
        _ before: UInt64,
        _ number: inout Int
    ) -> UInt64? {
        var new: UInt64 = 0
        let one = Int16(truncatingIfNeeded: 1 << low)
        var held = before & mask
        while number <= self.end {
            var bits = words.bits(at: place.position)
            let entry = lookup[Int(truncatingIfNeeded: bits &>> 54)]
            var symbol = Int(truncatingIfNeeded: entry &>> 8 & 255)
            var length = Int(truncatingIfNeeded: entry & 63)
            if length == 0 {
                let found = code.decode(bits)
                guard found.isCode else { return nil }
                (symbol, length) = (found.symbol, found.length)
            }
            bits &<<= UInt64(truncatingIfNeeded: length)
            let (run, size) = (symbol &>> 4, symbol & 15)
            if size == 0, run < 15 {
                let extra = Int(truncatingIfNeeded: (bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- run))
                place.endRun = (1 &<< run) &+ extra
                place.position &+= length &+ run
                break
            }
            guard size <= 1 else { return nil }
            let sign = Int16(truncatingIfNeeded: bits &>> 63)
            bits &<<= UInt64(truncatingIfNeeded: size)
            place.position &+= length &+ size
            // Each coefficient passed that earlier scans have set takes a bit, and none of the run.
            var target = number &+ run
            var passed = 0
            while held != 0, held.trailingZeroBitCount <= target {
                // 17 bits were used at most.
                if passed == 40 {
                    place.position &+= passed
                    bits = words.bits(at: place.position)
                    passed = 0
                }
                out[place.written] = corrected(old[place.taken], by: bits)
                place.written &+= 1
                place.taken &+= 1
                bits &<<= 1
                passed &+= 1
                target &+= 1
                held &= held &- 1
            }
            place.position &+= passed
            guard target <= self.end else { return nil }
            if size == 1 {
                out[place.written] = sign == 1 ? one : 0 &- one
                place.written &+= 1
                new |= 1 &<< UInt64(truncatingIfNeeded: target)
            }
            number = target &+ 1
        }
        return new
    }

    /// Copies `count` values of earlier scans, each enlarged where the next bit says so.
    @inline(__always)
    private func correct(
        _ count: Int,
        _ words: Span<UInt64>,
        _ old: Span<Int16>,
        _ out: inout MutableSpan<Int16>,
        _ place: inout BandCursor
    ) {
        guard count > 0 else { return }
        var bits = words.bits(at: place.position)
        place.position &+= count
        for i in 0..<count {
            out[place.written &+ i] = corrected(old[place.taken &+ i], by: bits)
            bits &<<= 1
        }
        place.taken &+= count
        place.written &+= count
    }

    /// `value`, enlarged if the first of `bits` is set.
    @inline(__always)
    private func corrected(_ value: Int16, by bits: UInt64) -> Int16 {
        let sign = value &>> 15
        let step = (Int16(truncatingIfNeeded: 1 &<< low) ^ sign) &- sign
        return value &+ (step & Int16(truncatingIfNeeded: Int64(bitPattern: bits) &>> 63))
    }

    @inline(__always)
    private static func copy(
        _ count: Int,
        _ old: Span<Int16>,
        _ out: inout MutableSpan<Int16>,
        _ place: inout BandCursor
    ) {
        guard count > 0 else { return }
        for i in 0..<count { out[place.written &+ i] = old[place.taken &+ i] }
        place.taken &+= count
        place.written &+= count
    }
}
