$ swift build 2>build.log
$ swift run --skip-build gallery $(cat photos.txt)
2811x1874 http://127.0.0.1:9000/pictures/0000-harbour-2811x1874.jpg
