internal import CalotypeCore

/// The parts of the contact sheet before and after the tiles.
enum SheetPage {
    static func head(_ summary: RunSummary, subject: String, timeline: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta name="generator" content="calotype"><meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>Contact sheet: \(HTMLText.escaped(subject))</title>
        <style>\(SheetStyle.css)</style></head><body>
        <header><h1>\(title(summary))</h1><p class="subject">\(HTMLText.escaped(subject))</p>
        <dl>\(figures(summary))</dl></header>
        \(timeline)\(reasons(summary))<section><h2>Images</h2>
        \(filters(summary))<main>

        """
    }

    static func tail(tilesLeftOut: Int) -> String {
        let note =
            "<p class=\"note\">\(tilesLeftOut) more are not on this page; the report lists all of them.</p>"
        return "</main>\(tilesLeftOut > 0 ? note : "")</section>\n<output></output>"
            + "<script>\(SheetStyle.script)</script></body></html>\n"
    }

    /// The outcome of the run in one line, as the page's title.
    private static func title(_ summary: RunSummary) -> String {
        let pictures = summary.succeeded + summary.skipped
        var title = "\(grouped(pictures)) image\(pictures == 1 ? "" : "s")"
        if summary.failed > 0 { title += ", <em>\(grouped(summary.failed)) failed</em>" }
        if summary.cancelled > 0 { title += ", \(grouped(summary.cancelled)) cancelled" }
        return title
    }

    private static func figures(_ summary: RunSummary) -> String {
        let seconds = max(summary.wallTime.inSeconds, 0.001)
        var pairs = [("time", Clocktime.text(summary.wallTime))]
        if summary.succeeded > 0 {
            pairs.append(("images/s", Decimal.text(Double(summary.succeeded) / seconds, places: 1)))
        }
        if summary.skipped > 0 { pairs.append(("already complete", grouped(summary.skipped))) }
        pairs += [
            ("received", "\(summary.bytesIn)"), ("written", "\(summary.bytesOut)"),
            ("processor time", Clocktime.text(summary.cpuTime)), ("peak memory", "\(summary.peakMemory)"),
        ]
        return pairs.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined()
    }

    private static func reasons(_ summary: RunSummary) -> String {
        guard !summary.failures.isEmpty else { return "" }
        let rows = summary.failures.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .prefix(40)
        let most = max(rows.first?.value ?? 1, 1)
        let items = rows.map { code, count in
            let share = Decimal.text(Double(count) / Double(most) * 100, places: 1)
            return "<li><code>\(HTMLText.escaped(code.rawValue))</code><b>\(grouped(count))</b>"
                + "<i><u style=\"width:\(share)%\"></u></i></li>"
        }
        return "<section class=\"reasons\"><h2>Errors</h2><ol>\(items.joined())</ol></section>\n"
    }

    /// Radio buttons that work without a script: the style sheet hides the other outcomes.
    private static func filters(_ summary: RunSummary) -> String {
        let counts = [
            ("ok", "created", summary.succeeded), ("skipped", "already complete", summary.skipped),
            ("failed", "failed", summary.failed), ("cancelled", "cancelled", summary.cancelled),
        ].filter { $0.2 > 0 }
        guard counts.count > 1 else { return "" }
        let all = ("all", "all", counts.reduce(0) { $0 + $1.2 })
        let items = ([all] + counts).map { key, label, count in
            "<label><input type=\"radio\" name=\"show\" id=\"show-\(key)\"\(key == "all" ? " checked" : "")>"
                + "\(label) <b>\(grouped(count))</b></label>"
        }
        return "<nav>\(items.joined())</nav>\n"
    }

    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
        return String(digits)
    }
}

/// The style sheet and script of the contact sheet.
enum SheetStyle {
    static let css = """
        :root{--paper:#f7f4ef;--card:#fffdfa;--ink:#29231d;--soft:#7b7065;--line:#e3dcd2;--bad:#b3402e;--glow:#8a5a2b;
        --s0:#ebe5dc;--s1:#c9a24a;--s2:#e0a96a;--s3:#5b8fa8;--s4:#8a5a2b;--s5:#5f8a5a;--s6:#b9a7b8}
        @media(prefers-color-scheme:dark){:root{--paper:#171411;--card:#211d19;--ink:#ece5db;--soft:#9b9085;
        --line:#37302a;--bad:#e8806c;--glow:#d9a066;--s0:#2a2520;--s1:#b8923f;--s2:#8a6a48;--s3:#6fa6c0;--s4:#d9a066;
        --s5:#83b27d;--s6:#7d6c7c}}
        *{box-sizing:border-box;margin:0}
        body{background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,"Segoe UI",Roboto,"Helvetica Neue",
        "DejaVu Sans",sans-serif;max-width:1480px;margin:auto;padding:40px 32px 80px;
        font-variant-numeric:tabular-nums}
        h1{font:400 40px/1.1 "Iowan Old Style","Palatino Linotype",Palatino,Georgia,"DejaVu Serif",serif;
        letter-spacing:-.01em}
        h1 em{font-style:normal;color:var(--bad)}
        h2{font-size:13px;font-weight:600;letter-spacing:.02em;color:var(--soft);margin:44px 0 14px}
        .subject{color:var(--soft);margin-top:8px;overflow-wrap:anywhere}
        dl{display:flex;flex-wrap:wrap;gap:14px 44px;margin-top:26px;padding-top:20px;border-top:1px solid var(--line)}
        dt{font-size:12px;color:var(--soft)}dd{font-size:20px}
        .legend{display:flex;flex-wrap:wrap;gap:4px 22px;list-style:none;padding:0;font-size:13px;margin-bottom:14px}
        .legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:7px}
        .legend b{font-weight:600;margin-left:3px}
        .legend .s0{background:var(--s0);box-shadow:inset 0 0 0 1px var(--line)}.legend .s1{background:var(--s1)}.legend .s2{background:var(--s2)}
        .legend .s3{background:var(--s3)}.legend .s4{background:var(--s4)}.legend .s5{background:var(--s5)}
        .legend .s6{background:var(--s6)}
        .rate{margin-top:20px}.rate svg{width:100%;height:40px;display:block}
        .rate path{fill:var(--glow);opacity:.28}
        .rate span{font-size:12px;color:var(--soft)}
        .plot{position:relative;margin-bottom:34px;border-top:1px solid var(--line);border-bottom:1px solid var(--line)}
        .plot svg{position:absolute;inset:0;width:100%;height:100%;cursor:crosshair}
        .plot>i{position:absolute;top:0;bottom:-6px;border-left:1px solid var(--line)}
        .plot>i span{position:absolute;top:100%;left:0;font:12px/1.6 system-ui,"DejaVu Sans",sans-serif;
        color:var(--soft);white-space:nowrap;padding-left:1px}
        path{fill:none;stroke-width:.82}.dense path{stroke-width:1.1}.rate path{stroke:none}
        .plot .s0{stroke:var(--s0)}.plot .s1{stroke:var(--s1)}.plot .s2{stroke:var(--s2)}.plot .s3{stroke:var(--s3)}
        .plot .s4{stroke:var(--s4)}.plot .s5{stroke:var(--s5)}.plot .s6{stroke:var(--s6)}.bad{stroke:var(--bad)}
        .note{font-size:13px;color:var(--soft)}
        .reasons ol{list-style:none;padding:0;max-width:640px}
        .reasons li{display:grid;grid-template-columns:13em 4em 1fr;align-items:center;gap:12px;padding:3px 0}
        .reasons b{text-align:right;font-weight:600}code{font:13px ui-monospace,"DejaVu Sans Mono",monospace}
        .reasons u{display:block;height:8px;border-radius:4px;background:var(--bad);opacity:.75;min-width:3px}
        nav{position:sticky;top:0;z-index:1;background:var(--paper);display:flex;flex-wrap:wrap;gap:6px;
        padding:10px 0;margin-bottom:10px}
        nav label{border:1px solid var(--line);border-radius:99px;padding:4px 14px;font-size:13px;cursor:pointer}
        nav b{font-weight:600;margin-left:4px}nav input{position:absolute;opacity:0}
        nav label:has(:checked){background:var(--ink);color:var(--paper);border-color:var(--ink)}
        nav label:has(:focus-visible){outline:2px solid var(--glow);outline-offset:2px}
        main{display:grid;grid-template-columns:repeat(auto-fill,minmax(196px,1fr));gap:22px 18px}
        figure{min-width:0;content-visibility:auto;contain-intrinsic-size:196px 250px}
        .frame{height:176px;display:flex;flex-direction:column;align-items:center;justify-content:center;
        background:var(--card);border:1px solid var(--line);border-radius:6px;padding:8px;overflow:hidden}
        .frame img{max-width:100%;max-height:100%;width:auto;height:auto;object-fit:contain;border-radius:2px}
        .frame p{font-size:12px;line-height:1.4;color:var(--soft);text-align:center;overflow-wrap:anywhere;
        margin-top:6px;display:-webkit-box;-webkit-line-clamp:6;-webkit-box-orient:vertical;overflow:hidden}
        .frame strong{font:600 14px ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
        .failed .frame{border-style:dashed;border-color:var(--bad)}.failed strong{color:var(--bad)}
        .skipped img{opacity:.82}
        figcaption{font-size:12px;color:var(--soft);margin-top:7px;display:flex;flex-wrap:wrap;column-gap:10px}
        figcaption b{color:var(--ink);font-weight:600}
        figcaption a,figcaption q{flex:1 1 100%;order:3;color:inherit;text-decoration:none;overflow:hidden;
        white-space:nowrap;text-overflow:ellipsis;quotes:none}
        figcaption a:hover{text-decoration:underline;color:var(--glow)}
        figure:target .frame,figure.here .frame{outline:3px solid var(--glow);outline-offset:2px}
        body:has(#show-ok:checked) figure:not(.ok),body:has(#show-failed:checked) figure:not(.failed),
        body:has(#show-skipped:checked) figure:not(.skipped),
        body:has(#show-cancelled:checked) figure:not(.cancelled){display:none}
        output{position:fixed;z-index:2;pointer-events:none;background:var(--ink);color:var(--paper);font-size:12px;
        padding:5px 10px;border-radius:5px;max-width:420px;overflow-wrap:anywhere}output:empty{display:none}
        """

    /// Shows the name of the picture under the pointer in the timeline; a click scrolls to it.
    static let script = """
        (()=>{const plot=document.querySelector('.plot'),tip=document.querySelector('output');if(!plot)return;
        const rows=plot.dataset.rows.split(' ');
        const tile=e=>{const r=plot.getBoundingClientRect();
        const n=Math.floor((e.clientY-r.top)/r.height*rows.length);
        return document.getElementById('i'+rows[Math.max(0,Math.min(rows.length-1,n))])};
        plot.onpointermove=e=>{const t=tile(e);
        tip.textContent=t?[...t.querySelectorAll('figcaption b,figcaption span,strong')].map(x=>x.textContent)
        .join('  '):'';tip.style.left=Math.min(e.clientX+14,innerWidth-300)+'px';tip.style.top=e.clientY+14+'px'};
        plot.onpointerleave=()=>tip.textContent='';
        plot.onclick=e=>{const t=tile(e);if(!t)return;const all=document.getElementById('show-all');
        if(all)all.checked=true;t.scrollIntoView({block:'center'});t.classList.add('here');
        setTimeout(()=>t.classList.remove('here'),2000)}})()
        """
}
