/// A part of a glyph: a shape and the colour that it is painted with.
struct AppGlyphLayer: Sendable {
    enum Tone: String, Sendable {
        case main, accent
        /// The main colour, translucent.
        case soft
        /// The ground.
        case hole
        case light
    }

    let shape: Outline
    let tone: Tone
    let opacity: Float
}

extension AppArtwork.Glyph {
    /// The parts, back to front.
    var layers: [AppGlyphLayer] { Self.drawings[rawValue] ?? [] }

    private static let drawings = GlyphText.drawings(of: text)

    /// The glyphs in a unit square, in the notation of ``GlyphText``.
    private static let text = """
        aperture
        main disc .5 .5 .31
        hole turn 6 .3 line .83 .5 .4375 .60825 .026
        hole polygon .012 .6194 .5369 .5277 .6219 .4083 .5849 .3806 .4631 .4723 .3781 .5917 .4151
        accent polygon .006 .5812 .5251 .5189 .5829 .4376 .5578 .4188 .4749 .4811 .4171 .5624 .4422

        bars
        main box .275 .65 .05 .1 .035
        main box .425 .58 .05 .17 .035
        main box .575 .62 .05 .13 .035
        accent box .725 .5 .05 .25 .035

        bolt
        main polygon .02 .57 .19 .31 .55 .475 .55 .43 .81 .69 .43 .525 .43

        book
        main polygon .02 .21 .31 .475 .37 .475 .74 .21 .67
        main polygon .02 .79 .31 .525 .37 .525 .74 .79 .67
        hole line .27 .43 .41 .46 .026 line .27 .51 .41 .54 .026 line .27 .59 .36 .61 .026
        accent polygon .004 .64 .33 .72 .31 .72 .53 .68 .49 .64 .545

        bubble
        main box .5 .46 .31 .22 .18 polygon .012 .3 .58 .27 .79 .5 .66
        hole disc .375 .46 .042 disc .625 .46 .042
        accent disc .5 .46 .042

        calendar
        main box .5 .52 .29 .27 .07
        accent within box .5 .32 .29 .09 0 box .5 .52 .29 .27 .07
        hole box .335 .55 .034 .034 .012 box .445 .55 .034 .034 .012 box .555 .55 .034 .034 .012 \
        box .665 .55 .034 .034 .012 box .335 .67 .034 .034 .012
        accent box .445 .67 .034 .034 .012
        hole:.4 box .555 .67 .034 .034 .012 box .665 .67 .034 .034 .012
        main line .38 .2 .38 .3 .045 line .62 .2 .62 .3 .045

        check
        main box .5 .5 .29 .29 .09
        hole path .075 .365 .515 .465 .615 .645 .4

        cloud
        accent disc .65 .37 .135
        main disc .35 .57 .13 disc .5 .48 .165 disc .66 .58 .12 box .5 .625 .28 .075 .07

        coin
        soft:.5 disc .44 .56 .25
        main disc .54 .46 .25
        hole:.5 ring .54 .46 .2 .016
        accent star .54 .465 .125

        compass
        main ring .5 .5 .285 .06
        accent polygon .01 .655 .345 .56 .56 .44 .44
        main polygon .01 .345 .655 .56 .56 .44 .44
        hole disc .5 .5 .03

        controller
        main box .5 .49 .32 .15 .14 disc .27 .58 .105 disc .73 .58 .105
        hole line .27 .485 .4 .485 .045 line .335 .42 .335 .55 .045
        accent disc .625 .52 .036
        accent disc .7 .45 .036

        cup
        main within box .46 .48 .2 .25 .15 box .46 .6 .25 .15 .01 \
        within ring .655 .545 .075 .045 box .755 .55 .1 .2 0
        main line .26 .79 .68 .79 .04
        accent path .035 .39 .38 .42 .33 .38 .27 .41 .21
        accent path .035 .52 .38 .55 .33 .51 .27 .54 .21

        dice
        main box .5 .5 .27 .27 .085
        hole disc .365 .365 .048 disc .635 .365 .048 disc .365 .635 .048 disc .635 .635 .048
        accent disc .5 .5 .055

        disc
        main disc .5 .5 .32
        hole:.4 ring .5 .5 .265 .012 ring .5 .5 .215 .012 ring .5 .5 .165 .012
        accent disc .5 .5 .115
        hole disc .5 .5 .032

        drop
        main tear .5 .58 .21 .5 .16
        accent within tear .5 .58 .165 .5 .24 box .5 .73 .3 .15 0

        equaliser
        soft:.55 line .3 .24 .3 .76 .05
        soft:.55 line .5 .24 .5 .76 .05
        soft:.55 line .7 .24 .7 .76 .05
        main disc .3 .6 .085
        accent disc .5 .36 .085
        main disc .7 .54 .085

        film
        main box .5 .5 .27 .31 .05
        hole box .295 .28 .026 .03 .012 box .705 .28 .026 .03 .012 box .295 .39 .026 .03 .012 \
        box .705 .39 .026 .03 .012 box .295 .5 .026 .03 .012 box .705 .5 .026 .03 .012 \
        box .295 .61 .026 .03 .012 box .705 .61 .026 .03 .012 box .295 .72 .026 .03 .012 \
        box .705 .72 .026 .03 .012
        hole box .5 .36 .13 .1 .02 box .5 .64 .13 .1 .02
        accent polygon .03 .46 .44 .46 .57 .57 .5

        flame
        main tear .5 .6 .21 .56 .17 tear .42 .62 .14 .33 .34
        accent tear .5 .67 .115 .53 .43

        gear
        main without ( disc .5 .5 .235 turn 8 .2 line .6 .5 .76 .5 .105 ) disc .5 .5 .115
        accent disc .5 .5 .065

        heart
        main tear .385 .42 .15 .5 .79 tear .615 .42 .15 .5 .79 polygon 0 .39 .42 .5 .38 .61 .42 .5 .78
        hole within disc .385 .415 .085 without disc .385 .415 .085 disc .41 .445 .085

        landscape
        main box .5 .5 .32 .26 .07
        hole box .5 .5 .275 .215 .035
        accent disc .64 .42 .06
        soft:.6 within polygon .015 .4 .75 .62 .5 .86 .75 box .5 .5 .275 .215 .035
        main within polygon .015 .14 .78 .4 .43 .66 .78 box .5 .5 .275 .215 .035

        layers
        soft:.5 without polygon .025 .5 .49 .78 .63 .5 .77 .22 .63 polygon .05 .5 .36 .78 .5 .5 .64 .22 .5
        accent without polygon .025 .5 .36 .78 .5 .5 .64 .22 .5 polygon .05 .5 .23 .78 .37 .5 .51 .22 .37
        main polygon .025 .5 .23 .78 .37 .5 .51 .22 .37

        leaf
        main lens .29 .71 .77 .23 .55
        hole path .032 .23 .77 .62 .38 line .43 .57 .43 .43 .026 line .43 .57 .57 .57 .026
        main line .23 .77 .3 .7 .04

        lens
        main box .5 .54 .31 .21 .07 polygon .02 .4 .3 .6 .3 .66 .42 .34 .42
        hole disc .5 .54 .15
        accent disc .5 .54 .105
        hole disc .5 .54 .055
        light:.7 disc .465 .5 .024
        accent disc .715 .43 .025

        lock
        main within ring .5 .42 .125 .055 box .5 .3 .2 .12 0 line .375 .42 .375 .5 .055 \
        line .625 .42 .625 .5 .055
        main box .5 .61 .22 .17 .06
        hole disc .5 .585 .042 line .5 .6 .5 .665 .036

        moon
        main without disc .47 .52 .28 disc .6 .42 .235
        accent star .64 .36 .085
        accent star .73 .55 .05

        note
        main ellipse .37 .68 .1 .078 -.35 ellipse .655 .62 .1 .078 -.35 line .445 .66 .445 .32 .045 \
        line .73 .6 .73 .26 .045 polygon .012 .435 .31 .74 .245 .74 .345 .435 .41

        paw
        main ellipse .27 .47 .065 .09 -.4 ellipse .41 .34 .07 .1 -.12 ellipse .59 .34 .07 .1 .12 \
        ellipse .73 .47 .065 .09 .4
        main disc .5 .58 .12 disc .41 .67 .095 disc .59 .67 .095

        pencil
        soft:.6 line .26 .79 .74 .79 .045
        main polygon .005 .33 .56 .59 .3 .71 .42 .45 .68
        main polygon .01 .315 .59 .42 .695 .275 .735
        accent polygon .02 .625 .265 .655 .235 .775 .355 .745 .385

        pie
        main without disc .48 .53 .28 box .68 .33 .2 .2 0
        accent within disc .53 .475 .27 box .73 .275 .2 .2 0

        pin
        soft:.4 ellipse .5 .8 .14 .04 0
        main tear .5 .41 .215 .5 .81
        accent disc .5 .41 .095

        plane
        main polygon .012 .2 .47 .81 .2 .44 .56
        main polygon .012 .81 .2 .6 .79 .48 .585
        accent polygon .012 .4 .6 .46 .63 .4 .74

        planet
        accent without ellipse .5 .5 .36 .115 -.4 ellipse .5 .5 .29 .065 -.4
        main disc .5 .5 .2
        accent within without ellipse .5 .5 .36 .115 -.4 ellipse .5 .5 .29 .065 -.4 \
        polygon 0 0 .711 1 .289 1 1.2 0 1.2
        main disc .74 .25 .035

        prompt
        main box .5 .5 .32 .26 .07
        hole path .05 .32 .41 .42 .5 .32 .59
        accent line .51 .6 .67 .6 .05

        rocket
        accent tear .5 .71 .065 .5 .87
        soft:.75 polygon .015 .42 .52 .29 .66 .31 .74 .45 .68
        soft:.75 polygon .015 .58 .52 .71 .66 .69 .74 .55 .68
        main within lens .5 .14 .5 .9 .42 box .5 .4 .3 .31 0
        accent disc .5 .42 .075
        hole disc .5 .42 .045

        star
        main star .5 .52 .33
        accent star .5 .53 .15

        sun
        main turn 8 0 line .74 .5 .81 .5 .055
        main disc .5 .5 .165
        accent disc .5 .5 .12

        tiles
        main box .365 .365 .12 .12 .045
        accent box .635 .365 .12 .12 .045
        soft:.6 box .365 .635 .12 .12 .045
        main box .635 .635 .12 .12 .045

        wave
        main line .245 .43 .245 .57 .058
        main line .347 .34 .347 .66 .058
        accent line .449 .23 .449 .77 .058
        main line .551 .3 .551 .7 .058
        main line .653 .39 .653 .61 .058
        main line .755 .45 .755 .55 .058
        """
}
