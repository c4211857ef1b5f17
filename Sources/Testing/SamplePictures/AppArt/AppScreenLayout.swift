/// What a screen of an app shows.
enum AppScreenLayout: String, CaseIterable {
    case grid, list, hero, chart, player, chat, map, rings

    /// Paints the screen on a part of a canvas.
    func paint(_ area: ScreenArea, _ screen: inout AppScreen, on cutout: inout Cutout) {
        var text = ScreenNotation(Self.text, on: area)
        text.paint(rawValue, &screen, on: &cutout)
    }

    /// The screens, in the notation of ``ScreenNotation``.
    private static let text = """
        title
        set y .2|.07
        ink write TITLE .07 y .066
        tint disc .88 y+.033 .047
        set y y+.14

        tabs
        times 1|0 i
        card area 0 h-.19 1 .19 .09
        times 4 i
        tint/ink:.25/ink:.25/ink:.25 area .17+.22i-.035 h-.145 .07 .07 .035/.018
        end
        end

        grid
        use title
        rows .455|.30333334 .455|.30333334 0 99
        times 2|3 j
        photo .06+.455j|.06+.30333334j y .425|.27333334 .425|.27333334 .04
        end
        end
        use tabs

        list
        use title
        rows .205 .205 .02 99
        card area .05 y .9 .175 .045
        hue area .085 y+.032 .11 .11 .034
        white:.85 disc .14 y+.087 .022
        ink:.8 bar .24 y+.047 ~.28~.5 .032
        ink:.28 bar .24 y+.1 ~.2~.42 .024
        ink:.3 path .014 .875 y+.06 .9 y+.0875 .875 y+.115
        end
        use tabs

        hero
        photo 0|.05 0|.06 1|.9 .95|.5 .09|.04
        set y 1.03|.62
        ink write TITLE .07 y .06
        ink:.3 bar .07 y+.12 .84 .024 bar .07 y+.175 .78 .024 bar .07 y+.23 .5 .024
        tint area .07 y+.32 .86 .13 .05
        white write START .42 y+.362 .046 .2
        use tabs

        chart
        use title
        card area .05 y .9 .62|.5 .05
        ink write #12#98,.,#0#9 .1 y+.06 .08
        ink:.28 bar .1 y+.17 .25 .022
        set b y+.57|y+.45
        times 7 i
        set t ~.06~.3
        set t 1.2666667t|.8666667t
        tint:.85/tint:.85/tint:.85/tint:.85/accent/tint:.85/tint:.85 area .12+.112i b-t .07 t .025
        end
        set y y+.66|y+.54
        times 2 i
        set x .05+.465i
        card area x y .435 .36 .05
        tint/accent disc x+.09 y+.09 .042
        ink write #3#89 x+.055 y+.175 .066
        ink:.28 bar x+.05 y+.285 .24 .022
        end
        use tabs

        player
        photo .1|.27 .24|.08 .8|.46 .8|.46 .06
        set y 1.13|.63
        ink write TITLE = y .06
        ink:.3 bar .32 y+.1 .36 .024
        ink:.18 bar .1 y+.2 .8 .016
        set p ~.2~.6
        set p .8p
        tint bar .1 y+.2 p .016
        tint disc .1+p y+.208 .022
        set m y+.37
        tint disc .5 m .09
        white polygon .008 .477 m-.035 .477 m+.035 .535 m
        times 2 i
        set x .3/.25
        ink:.75 polygon .006 x+.02 m-.032 x+.02 m+.032 x-.024 m
        set x .7/.75
        ink:.75 polygon .006 x-.02 m-.032 x-.02 m+.032 x+.024 m
        end

        chat
        set y .22|.07
        accent disc .13 y+.05 .06
        ink write NAME .23 y+.022 .052
        set y y+.17
        until h-.47
        either .5 i
        set n #1#3
        set w ~.38~.66
        set b .09+.055n
        set x .94-w/.06
        tint/card area x y w b .06
        set v w-.1
        times n-1 j
        white:.85/ink:.45 bar x+.05 y+.055+.055j .82v .024
        end
        white:.85/ink:.45 bar x+.05 y+.055n .55v .024
        set y y+b+.035
        end
        card area .05 h-.2 .76 .11 .055
        tint disc .9 h-.145 .055

        map
        set c .09|.02
        land area 0 0 1 h c
        park within disc ~.1~.4 ~.2~.6 .26 area 0 0 1 h c
        set b ~.3~.7
        water within path .11 -.1 b .3 b+.2 .6 b+.1 1.1 b+.45 area 0 0 1 h c
        times 9 i
        set s ~-.04~.04
        set s .24i-.3+s
        set t ~-.1~.1
        road within path .038/.02/.02 -.1/.6s+.2 s+.2/-.1 1.1/.6s+.2+t s+.2+t/h+.1 area 0 0 1 h c
        end
        tint path .032 .16 .68h .4 .56h .46 .4h .74 .3h
        white disc .16 .68h .035
        tint disc .16 .68h .022
        accent tear .74 .3h-.1202 .0602 .74 .3h-.0026
        white disc .74 .3h-.1202 .0238
        set y h-.36|h-.26
        card area .05 y .9 .2 .06
        ink write #4#48,_MIN .1 y+.05 .054
        ink:.3 bar .1 y+.135 .3 .024
        tint area .68 y+.05 .22 .1 .05
        white write GO .75 y+.08 .042 .2

        rings
        set m .6|.36
        set w .068|.054
        times 3 i
        set p ~.45~.92
        set r .34-.0884i|.27-.0702i
        tint:.18/accent:.18/other:.18 ring .5 m r w
        tint/accent/other arc .5 m r w p
        end
        set y 1.06|.75
        rows .165 .17 0 3
        card area .05 y .9 .14 .045
        tint/accent/other disc .125 y+.07 .032
        ink:.7 bar .2 y+.058 ~.25~.45 .026
        ink write #10#99 .8 y+.047 .048
        end
        """
}
