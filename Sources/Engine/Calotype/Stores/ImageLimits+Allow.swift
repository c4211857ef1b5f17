import CalotypeCodec
import CalotypeCore

extension ImageLimits {
    /// Whether what was made of such a source under other limits would have been made under these.
    func allow(_ facts: ImageFacts, _ bytes: ByteCount) -> Bool {
        guard bytes <= sourceBytes else { return false }
        do throws(CalotypeError) {
            try check(facts)
            return true
        } catch {
            return false
        }
    }
}
