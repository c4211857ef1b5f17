$ swift build 2>build.log
$ "$(swift build --show-bin-path)/gallery" $(cat photos.txt) >gallery.log &
