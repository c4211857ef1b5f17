internal import CalotypeCTaskHooks
internal import CalotypePlatform
internal import TaskFlow

/// The names of the program's functions, by address.
///
/// The format is that of the ELF specification (System V ABI, chapter 4); `dladdr` knows exported symbols
/// only.
final class SymbolNames: Sendable {
    static let shared = SymbolNames()

    private struct Symbol {
        let start: UInt
        let end: UInt
        let name: String
    }

    /// The program's own symbols, by address; read on first use.
    private let symbols = Guarded<[Symbol]?>(nil)

    /// Returns the short Swift name of the function at the address, or `nil` if it means nothing to readers.
    func name(of address: UInt) -> String? {
        guard let mangled = mangledName(at: address), let text = unsafe CTaskHooksDemangled(mangled) else {
            return nil
        }
        defer { unsafe free(text) }
        let name = unsafe String(cString: text)
        // Functions of the standard library that were copied here, the compiler's own, and the schedule's.
        let isNoise = name.contains(
            #/ for (static )?(\(extension in Swift\):)?Swift\.|forwarder|thunk| TaskFlowTesting\./#
        )
        return isNoise ? nil : Self.shortened(name)
    }

    private func mangledName(at address: UInt) -> String? {
        guard address != 0 else { return nil }
        let offset = address - UInt(CTaskHooksProgram())
        return symbols.withLock { symbols in
            let all = symbols ?? Self.read()
            symbols = all
            var low = 0
            var high = all.count
            while low < high {
                let middle = (low + high) / 2
                if all[middle].start <= offset { low = middle + 1 } else { high = middle }
            }
            guard low > 0, offset < all[low - 1].end else { return nil }
            return all[low - 1].name
        }
    }

    /// Removes what means nothing to readers.
    ///
    /// That is the part of an async function, its arguments and its private discriminator.
    ///
    /// `(1) suspend resume partial function for Demo.Cache.(make in _5885)(key: Int) async -> Int` becomes
    /// `Demo.Cache.make`.
    static func shortened(_ text: String) -> String {
        // The compiler writes the blanks of a raw identifier as no-break spaces.
        var text = text.replacing("\u{a0}", with: " ")
        if let range = text.firstRange(of: "partial function for ") {
            text = String(text[range.upperBound...])
        }
        text = text.replacing(#/\(([A-Za-z0-9_$]+) in _[0-9A-F]+\)/#) { $0.output.1 }
        text = text.replacing(#/\(extension in [A-Za-z0-9_]+\):/#, with: "")
        return parts(text).joined(separator: " in ")
    }

    /// The function and the closures around it, each without arguments.
    private static func parts(_ text: String) -> [String] {
        guard let closure = text.prefixMatch(of: #/closure #\d+/#) else {
            return [String(text.prefix { $0 != "(" && $0 != "<" })]
        }
        // The closure's declaration follows its type, outside all brackets.
        var depth = 0
        for index in text.indices.dropFirst(closure.output.count) {
            if "(<[".contains(text[index]) { depth += 1 }
            if ")>]".contains(text[index]), text[..<index].last != "-" { depth -= 1 }
            if depth == 0, text[index...].hasPrefix(" in ") {
                return [String(closure.output)] + parts(String(text[index...].dropFirst(4)))
            }
        }
        return [String(closure.output)]
    }

    private static func read() -> [Symbol] {
        let file = unsafe open(Platform.program, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0, facts.st_size > 64 else { return [] }
        let size = Int(facts.st_size)
        guard let map = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), unsafe map != MAP_FAILED
        else { return [] }
        defer { unsafe munmap(map, size) }
        return unsafe functions(UnsafeRawBufferPointer(start: map, count: size)).sorted {
            $0.start < $1.start
        }
    }

    private static func functions(_ file: UnsafeRawBufferPointer) -> [Symbol] {
        func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Int {
            guard offset >= 0, offset + MemoryLayout<Value>.size <= file.count else { return 0 }
            return unsafe Int(truncatingIfNeeded: file.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        let sections = number(0x28, UInt64.self)
        let width = number(0x3a, UInt16.self)
        var found: [Symbol] = []
        for index in 0..<number(0x3c, UInt16.self) {
            let section = sections + index * width
            // SHT_SYMTAB
            guard number(section + 4, UInt32.self) == 2 else { continue }
            let start = number(section + 0x18, UInt64.self)
            let strings = number(sections + number(section + 0x28, UInt32.self) * width + 0x18, UInt64.self)
            for symbol in stride(from: start, to: start + number(section + 0x20, UInt64.self), by: 24)
            // STT_FUNC
            where number(symbol + 4, UInt8.self) & 15 == 2 {
                let name = strings + number(symbol, UInt32.self)
                guard name < file.count else { continue }
                let bytes = unsafe file[name...].prefix { $0 != 0 }
                let address = UInt(number(symbol + 8, UInt64.self))
                let end = address + UInt(number(symbol + 16, UInt64.self))
                unsafe found.append(
                    Symbol(start: address, end: end, name: String(decoding: bytes, as: UTF8.self))
                )
            }
        }
        return found
    }
}
