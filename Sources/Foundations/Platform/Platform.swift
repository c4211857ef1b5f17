// The C library of the system. All other modules import this one instead of it.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#else
#error("Calotype needs the C library of Linux (Glibc or Musl) or macOS")
#endif

#if _endian(big)
#error("Calotype needs a little-endian processor: its pixels and its files are little-endian")
#endif

/// What Linux and macOS do differently.
///
/// Only the files of this module and those of `CalotypeCPOSIX` ask for the system. The side for macOS follows
/// Apple's manuals and has never been compiled: see `docs/adding.md`.
package enum Platform {
    /// The number of processors that are online, at least one.
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The name under which libarchive is loaded.
    #if canImport(Darwin)
    package static let archiveLibrary = "libarchive.13.dylib"
    #else
    package static let archiveLibrary = "libarchive.so.13"
    #endif
}
