/// Something that must not happen to a cache did.
package struct SoakFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
