extension HTTPHeaders {
    /// The moment that the first field called `name`, such as `Date`, tells; `nil` where there is none, or it is no date.
    ///
    /// - Parameters:
    ///   - name: The field.
    ///   - now: By which the century of a year of two digits is found.
    /// - Returns: The moment.
    package func moment(_ name: String, now: WallTime) -> WallTime? {
        HTTPDate.moment(self[name], now: now)
    }
}
