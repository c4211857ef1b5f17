$ echo http://127.0.0.1:9000/status/404 >>photos.txt
$ swift build >build.log 2>&1
$ swift run --skip-build gallery $(cat photos.txt)
left out: http_404: the origin returned 404 (not found) (http://127.0.0.1:9000/status/404)
2811x1874 http://127.0.0.1:9000/pictures/0000-harbour-2811x1874.jpg
733x733 http://127.0.0.1:9000/pictures/0001-lights-733x733.jpg
2933x1650 http://127.0.0.1:9000/pictures/0002-meadow-2933x1650.jpg
1458x820 http://127.0.0.1:9000/pictures/0003-forest-1458x820.jpg
