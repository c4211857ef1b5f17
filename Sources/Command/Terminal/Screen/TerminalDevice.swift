import CalotypeCommandLineKit
import CalotypeCore
import CalotypePlatform

/// A terminal's non-blocking descriptors, and its original modes.
///
/// The descriptors are opened again, because processes that inherited the originals, such as the shell, share
/// the blocking mode.
final class TerminalDevice: Sendable {
    let input: Int32
    let output: Int32
    /// The original modes.
    let modes: termios

    /// - Throws: `no_terminal`.
    init(input: Int32, output: Int32) throws(CalotypeError) {
        guard isatty(input) == 1 else { throw Self.failure("standard input is not a terminal") }
        guard isatty(output) == 1 else { throw Self.failure("standard output is not a terminal") }
        var modes = termios()
        guard unsafe tcgetattr(input, &modes) == 0 else { throw Self.failure("its modes cannot be read") }
        self.modes = modes
        let keys = try Self.open(input)
        do {
            self.output = try Self.open(output)
        } catch {
            close(keys)
            throw error
        }
        self.input = keys
    }

    deinit {
        close(output)
        close(input)
    }

    /// The current size of the screen.
    var size: ScreenSize { ScreenSize.of(.init(descriptor: output)) ?? ScreenSize(columns: 80, rows: 24) }

    /// Keys arrive one by one and are not echoed; Ctrl-C, Ctrl-\ and Ctrl-Z are still signals.
    func setRawModes() {
        var raw = modes
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | IGNCR | INLCR | INPCK | ISTRIP | IXON | PARMRK)
        raw.c_oflag &= ~tcflag_t(OPOST)
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
        unsafe withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 1
            unsafe characters[Int(VTIME)] = 0
        }
        set(raw)
    }

    func restoreModes() {
        set(modes)
    }

    /// Setting the modes of a closed terminal fails, and the next read reports that.
    private func set(_ modes: termios) {
        var modes = modes
        while unsafe tcsetattr(input, TCSANOW, &modes) != 0, errno == EINTR {}
    }

    private static func open(_ descriptor: Int32) throws(CalotypeError) -> Int32 {
        var name = [CChar](repeating: 0, count: 128)
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        if unsafe ttyname_r(descriptor, &name, name.count) == 0 {
            let opened = unsafe CalotypePlatform.open(name, flags)
            if opened >= 0 { return opened }
        }
        // After `su` another user owns the terminal, but this name for it still works.
        let opened = tcgetsid(descriptor) == getsid(0) ? unsafe CalotypePlatform.open("/dev/tty", flags) : -1
        guard opened >= 0 else { throw failure("it cannot be opened") }
        return opened
    }

    private static func failure(_ reason: String) -> CalotypeError {
        CalotypeError(.noTerminal, "this needs a terminal: \(reason)", stage: .request)
    }
}
