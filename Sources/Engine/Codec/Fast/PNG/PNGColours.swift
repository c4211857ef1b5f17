import CalotypeCPNGShim

/// The colours of a picture, as long as there are no more than a palette holds.
// SAFETY: the pointer is valid from init to deinit and never leaves this type.
@safe
final class PNGColours {
    private let pointer: OpaquePointer
    private let channels: Int

    /// Begins to count pixels of `channels` bytes; `nil` where there is no memory.
    init?(channels: Int) {
        guard let pointer = unsafe cpng_colours_make(UInt32(channels)) else { return nil }
        unsafe self.pointer = pointer
        self.channels = channels
    }

    deinit {
        unsafe cpng_colours_free(pointer)
    }

    /// The colours in the order in which they came first, each of the channels that were counted.
    var all: [[UInt8]] {
        let number = unsafe cpng_colours_number(pointer)
        return (0..<number).map { index in
            unsafe Array(UnsafeBufferPointer(start: cpng_colours_colour(pointer, index), count: channels))
        }
    }

    /// Counts the colours of `row`.
    ///
    /// - Returns: `false` where there are too many by now.
    func count(_ row: Span<UInt8>) -> Bool {
        unsafe row.withUnsafeBufferPointer { row in
            unsafe cpng_colours_count(pointer, row.baseAddress, row.count / channels)
        }
    }

    /// `row` with `values[i]`, of `depth` bits, in place of colour `i`.
    func packed(_ row: Span<UInt8>, _ values: [UInt8], depth: Int) -> [UInt8] {
        let width = row.count / channels
        return unsafe [UInt8](unsafeUninitializedCapacity: (width * depth + 7) / 8) { out, count in
            unsafe row.withUnsafeBufferPointer { row in
                unsafe cpng_colours_pack(
                    pointer,
                    row.baseAddress,
                    width,
                    values,
                    UInt32(depth),
                    out.baseAddress
                )
            }
            count = (width * depth + 7) / 8
        }
    }
}
