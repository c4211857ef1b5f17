# Thumbnails over HTTP, from the Debian package:
#   docker build --tag calotype .        (buildah needs --format docker, for the health check)
#   docker run --read-only --tmpfs /tmp --publish 8080:8080 --env CALOTYPE_KEY --env CALOTYPE_SALT calotype
# To package a .deb that you have instead of building one: docker build --build-context build=FOLDER, with FOLDER/calotype.deb.
ARG BASE=debian:bookworm-slim
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends dpkg-dev binutils git
WORKDIR /src
COPY . .
RUN script/package && cp .build/package/calotype_*.deb /calotype.deb

FROM ${BASE}
COPY --from=build /calotype.deb /tmp/calotype.deb
# Logs, indexes and caches of fonts have dates in them; without them, equal packages give equal files.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends /tmp/calotype.deb libvips42 \
    && useradd --system --uid 990 --home-dir /var/cache/calotype calotype \
    && install --directory --owner=calotype --group=calotype --mode=700 /var/cache/calotype \
    && rm -rf /tmp/calotype.deb /var/lib/apt/lists/* /var/cache/apt/* /var/cache/fontconfig/* /var/cache/ldconfig/aux-cache /var/log/*
USER 990
ENV CALOTYPE_BIND=:8080 CALOTYPE_CACHE=/var/cache/calotype/results
VOLUME /var/cache/calotype
EXPOSE 8080
STOPSIGNAL SIGTERM
# Debian's base has no HTTP client, but bash opens connections.
HEALTHCHECK --interval=30s --timeout=5s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["calotype", "serve"]
