/// A connection that can be taken out of the library's loop for a while.
package protocol Suspending: Sendable {
    /// Takes it out of the loop until ``resume()``.
    func suspend()
    /// Lets the library go on with it; called once for each ``suspend()``.
    func resume()
}
