internal import CalotypeCPOSIX

/// Memory that was freed and that the C library keeps for later.
package enum FreedMemory {
    /// Returns it to the system; takes milliseconds for each gigabyte.
    package static func returnToSystem() {
        calotype_return_memory()
    }
}
