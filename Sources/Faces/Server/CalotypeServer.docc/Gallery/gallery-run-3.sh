$ swift build >build.log 2>&1
$ "$(swift build --show-bin-path)/gallery" $(cat photos.txt) >gallery.log &
