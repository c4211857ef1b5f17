public import CalotypeCore

extension ScriptedTransport {
    /// What a transport has counted; every request ends in exactly one of the four ways.
    public struct Statistics: Hashable, Sendable {
        /// Requests sent.
        public internal(set) var requests = 0
        /// Exchanges under way.
        public internal(set) var open = 0
        /// The most exchanges under way at a time.
        public internal(set) var mostOpen = 0
        /// Exchanges whose body was read to its end, or had none.
        public internal(set) var completed = 0
        /// Exchanges whose reader wanted no more of the body.
        public internal(set) var cutOff = 0
        /// Exchanges that ended with an error of the script, a timeout or a limit.
        public internal(set) var failed = 0
        /// Exchanges that ended because their task was cancelled.
        public internal(set) var cancelled = 0
        /// Bytes of requests' bodies that were sent.
        public internal(set) var sentBytes = ByteCount(0)
        /// Bytes of bodies that were given to readers.
        public internal(set) var bytes = ByteCount(0)
    }
}
