import Testing

@testable import CalotypeTerminal

struct PictureStyleTests {
    static let table: [(environment: [String: String], style: PictureStyle)] = [
        (["TERM": "xterm-kitty"], .kitty),
        (["TERM": "foot"], .sixel), (["TERM": "mlterm"], .sixel),
        (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .sixel),
        (["TERM": "xterm-256color", "KONSOLE_VERSION": "230400"], .sixel),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .symbols(.direct)),
        (["TERM": "alacritty", "COLORTERM": "truecolor"], .symbols(.direct)),
        (["TERM": "alacritty", "COLORTERM": "24bit"], .symbols(.direct)),
        (["TERM": "xterm"], .symbols(.indexed)), (["TERM": "rxvt-unicode-256color"], .symbols(.indexed)),
        (["TERM": "linux"], .symbols(.sixteen)), (["TERM": "rxvt-unicode"], .symbols(.sixteen)),
        (["TERM": "dumb"], .none), (["TERM": ""], .none), ([:], .none),
        // Multiplexers keep text: no pixels through them, whatever is outside.
        (["TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0"], .symbols(.direct)),
        (
            ["TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0", "COLORTERM": "truecolor"],
            .symbols(.direct)
        ),
        (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"], .symbols(.direct)),
        (["TERM": "screen", "STY": "1.pts-0"], .symbols(.indexed)),
        (["TERM": "screen.xterm-kitty"], .symbols(.indexed)),
    ]

    @Test(arguments: table)
    func `a terminal's style is found in the environment`(environment: [String: String], style: PictureStyle)
    {
        #expect(PictureStyle.detected(environment: environment, isTerminal: true) == style)
        #expect(PictureStyle.detected(environment: environment, isTerminal: false) == .none)
    }

    @Test func `the user's choice counts`() {
        let kitty = ["TERM": "xterm-kitty"]
        #expect(PictureStyle.chosen(.auto, environment: kitty, isTerminal: true) == .kitty)
        #expect(PictureStyle.chosen(.none, environment: kitty, isTerminal: true) == .none)
        #expect(PictureStyle.chosen(.symbols, environment: kitty, isTerminal: true) == .symbols(.direct))
        let foot = ["TERM": "foot"]
        #expect(PictureStyle.chosen(.kitty, environment: foot, isTerminal: true) == .kitty)
        #expect(PictureStyle.chosen(.symbols, environment: foot, isTerminal: true) == .symbols(.direct))
        let console = ["TERM": "linux"]
        #expect(PictureStyle.chosen(.sixel, environment: console, isTerminal: false) == .sixel)
        #expect(PictureStyle.chosen(.symbols, environment: console, isTerminal: false) == .symbols(.sixteen))
    }
}
