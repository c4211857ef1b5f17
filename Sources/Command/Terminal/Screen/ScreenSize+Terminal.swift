public import CalotypeCommandLineKit
import Glibc

extension ScreenSize {
    /// Asks a terminal for the size of its screen.
    ///
    /// - Parameter output: The terminal; standard output by default.
    /// - Returns: The size, 80 by 24 where the terminal does not know it; `nil` where `output` is no terminal.
    public static func of(_ output: TerminalOutput = .standardOutput) -> ScreenSize? {
        var size = winsize()
        guard unsafe ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        let columns = size.ws_col > 0 ? Int(size.ws_col) : 80
        let rows = size.ws_row > 0 ? Int(size.ws_row) : 24
        let (width, height) = (Int(size.ws_xpixel) / columns, Int(size.ws_ypixel) / rows)
        guard width > 0, height > 0 else { return ScreenSize(columns: columns, rows: rows) }
        return ScreenSize(columns: columns, rows: rows, cellWidthPixels: width, cellHeightPixels: height)
    }
}
