/// The transfers whose readers wait for what libcurl has just received.
///
/// A reader is woken once for all that came in one go: a wake-up costs as much as copying 100 kB. It never leaves its
/// loop's thread.
final class DeliveryList {
    private var transfers: [Transfer] = []

    /// Notes `transfer`; those that get several pieces in one go come one after the other.
    func add(_ transfer: Transfer) {
        if transfers.last !== transfer { transfers.append(transfer) }
    }

    /// Wakes the readers.
    func deliver() {
        for transfer in transfers { transfer.deliver() }
        transfers.removeAll(keepingCapacity: true)
    }
}
