$ curl --silent --fail --retry-connrefused --retry 9 http://127.0.0.1:8080/ >page.html
$ tail -n 1 page.html
<figure><img src="/thumbnails/…" width="240" height="240" alt=""><figcaption>1458x820</figcaption></figure>
$ path=$(grep -o -m 1 '/thumbnails/[^"]*' page.html)
$ curl --silent --output thumbnail.webp "http://127.0.0.1:8080$path"
$ calotype info thumbnail.webp | grep size
  size         240x240, 0.06 megapixels
$ curl --silent --output refused.txt --write-out '%{http_code}\n' "http://127.0.0.1:8080${path/240:240/2400:2400}"
403
