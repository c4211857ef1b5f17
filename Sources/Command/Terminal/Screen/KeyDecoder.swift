/// A key press.
public enum KeyPress: Hashable, Sendable {
    /// A key that produces a character, such as `a`, `Q`, `/` or `é`.
    case character(Character)
    /// A key pressed with Control, as its lower-case letter, such as `c`.
    case control(Character)
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, tab, backspace, delete, escape
}

/// Decodes key presses from the bytes that a terminal sends.
///
/// Bytes can arrive in chunks of any size. Sequences that are not keys and invalid UTF-8 are skipped. Text
/// between the marks of bracketed paste counts as typed. An escape character alone can be the Escape key or
/// the beginning of a sequence, which only time decides: see ``isWaiting`` and ``expire()``.
struct KeyDecoder {
    private enum State {
        case ground
        /// After an escape character.
        case escape
        /// After `ESC O`.
        case single
        /// After `ESC [ [`, the prefix of function keys on the Linux console.
        case consoleFunction
        /// After `ESC [`, with the parameters so far.
        case control([UInt8])
        /// In a string from the terminal, which ends with `ESC \` or BEL; the flag is set if its last byte
        /// was ESC.
        case string(endsWithEscape: Bool)
        /// In a multi-byte character.
        case character([UInt8], missing: Int)
    }

    /// Longer sequences are ignored.
    private static let mostParameterBytes = 32

    private var state = State.ground
    private var keys: [KeyPress] = []

    /// Whether the next bytes, or their absence, decide about a key.
    var isWaiting: Bool {
        switch state {
        case .ground: false
        default: true
        }
    }

    /// Decodes bytes, and returns the keys that are certain.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [KeyPress] {
        for byte in bytes { take(byte) }
        return taken()
    }

    /// Decides after a timeout: an escape character was the Escape key, and anything else is dropped.
    mutating func expire() -> [KeyPress] {
        switch state {
        case .escape: keys.append(.escape)
        case .single: keys.append(.character("O"))
        case .control(let parameters) where parameters.isEmpty: keys.append(.character("["))
        default: break
        }
        state = .ground
        return taken()
    }

    private mutating func taken() -> [KeyPress] {
        defer { keys = [] }
        return keys
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: begin(byte)
        case .escape: takeAfterEscape(byte)
        case .single:
            state = .ground
            if let key = Self.keypadKey(final: byte) ?? Self.key(final: byte) { keys.append(key) }
        case .consoleFunction: state = .ground
        case .control(let parameters): takeControl(byte, parameters)
        case .string(let endsWithEscape): takeString(byte, endsWithEscape)
        case .character(let bytes, let missing): takeCharacter(byte, bytes, missing)
        }
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D, 0x0A: keys.append(.enter)
        case 0x09: keys.append(.tab)
        case 0x7F, 0x08: keys.append(.backspace)
        case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20...0x7E: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xDF: state = .character([byte], missing: 1)
        case 0xE0...0xEF: state = .character([byte], missing: 2)
        case 0xF0...0xF4: state = .character([byte], missing: 3)
        default: break
        }
    }

    private mutating func takeAfterEscape(_ byte: UInt8) {
        switch byte {
        case 0x1B: keys.append(.escape)
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .single
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            state = .string(endsWithEscape: false)
        default:
            // A key pressed with Alt counts as the key alone.
            state = .ground
            begin(byte)
        }
    }

    private mutating func takeControl(_ byte: UInt8, _ parameters: [UInt8]) {
        switch byte {
        case 0x20...0x3F:
            guard parameters.count < Self.mostParameterBytes else {
                state = .ground
                return
            }
            state = .control(parameters + [byte])
        case 0x40...0x7E:
            state = .ground
            if byte == UInt8(ascii: "["), parameters.isEmpty {
                state = .consoleFunction
            } else {
                end(parameters, byte)
            }
        default:
            state = .ground
            begin(byte)
        }
    }

    private mutating func end(_ parameters: [UInt8], _ final: UInt8) {
        let text = String(decoding: parameters, as: UTF8.self)
        // Modifiers follow after a semicolon and do not change the key.
        let first = text.split(separator: ";", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let key =
            final == UInt8(ascii: "~") || final == UInt8(ascii: "^") || final == UInt8(ascii: "$")
            ? Self.key(number: first)
            : text.allSatisfy { $0.isNumber || $0 == ";" } ? Self.key(final: final) : nil
        if let key { keys.append(key) }
    }

    private mutating func takeString(_ byte: UInt8, _ endsWithEscape: Bool) {
        if byte == 0x07 || endsWithEscape && byte == UInt8(ascii: "\\") || byte == 0x18 {
            state = .ground
        } else {
            state = .string(endsWithEscape: byte == 0x1B)
        }
    }

    private mutating func takeCharacter(_ byte: UInt8, _ bytes: [UInt8], _ missing: Int) {
        guard (0x80...0xBF).contains(byte) else {
            state = .ground
            take(byte)
            return
        }
        guard missing == 1 else {
            state = .character(bytes + [byte], missing: missing - 1)
            return
        }
        state = .ground
        if let text = String(validating: bytes + [byte], as: UTF8.self), let character = text.first {
            keys.append(.character(character))
        }
    }

    /// Returns the key for a sequence that ends with `final`.
    private static func key(final: UInt8) -> KeyPress? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    /// Returns the keypad key for a three-byte sequence.
    private static func keypadKey(final: UInt8) -> KeyPress? {
        switch final {
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "I"): .tab
        default: nil
        }
    }

    /// Returns the key for a sequence that ends with `~`.
    private static func key(number: String) -> KeyPress? {
        switch number {
        case "1", "7": .home
        case "4", "8": .end
        case "3": .delete
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
