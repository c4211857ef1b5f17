# Thumbnails over HTTP: docker build --tag calotype . && docker run --publish 8080:8080 --env CALOTYPE_KEY --env CALOTYPE_SALT calotype
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY script script
RUN script/bootstrap
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# The scripts are bash's; /bin/sh is another shell.
RUN bash -c 'source script/lib.sh && build_release && cp "$(release_binary)" /calotype' && strip /calotype

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libcurl4 libdeflate0 libisal2 libjpeg62-turbo liblcms2-2 \
        libarchive13 libmicrohttpd12 libsqlite3-0 libssl3 libvips42 libwebp7 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/cache/calotype calotype
COPY --from=build /calotype /usr/local/bin/calotype
USER calotype
ENV CALOTYPE_BIND=:8080 CALOTYPE_CACHE=/var/cache/calotype/results
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["calotype", "serve"]
