/// Finds out that an origin has ended its side of the connection while the request is still being sent to it.
///
/// libcurl 7.88 reads such an end, tells nobody, and goes on sending. What it sends then brings a reset, unless nothing can be
/// sent: where the next block of the body has not come yet, or where the origin's system takes nothing more, because the origin
/// stopped to read before it ended. There libcurl would wait until the idle timeout, or for ever.
struct EndWatch {
    /// How many of libcurl's turns have found the end.
    private var turns = 0

    /// Takes notice of whether a turn of libcurl has found the end and all that came before it read.
    mutating func turned(hasEnded: Bool) {
        turns = hasEnded ? turns + 1 : 0
    }

    /// Whether libcurl is to have another turn at once.
    ///
    /// It can tell better than this what has become of the connection, and may be able to use another one.
    var wantsTurn: Bool { turns == 1 }

    /// Whether the exchange is over, though libcurl goes on.
    var isOver: Bool { turns > 1 }
}
