# The service with all adapters. Build it in the root of the repository: docker build -t holdfast .
# An image with Node.js, Debian and the user node.
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS build
WORKDIR /source
COPY . .
RUN HOLDFAST_NO_INSTALL=1 npx --yes pnpm@12 install --frozen-lockfile \
  && node scripts/install.ts /app

FROM ${BASE}
# ffmpeg converts videos, bubblewrap confines it.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ffmpeg \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=700 /data
COPY --from=build /app /app
# Only /data and /tmp are written: the root file system may be read-only.
ENV HOLDFAST_DATA_DIR=/data \
  HOLDFAST_HOST=0.0.0.0 \
  HOLDFAST_OPERATOR_HOST=0.0.0.0 \
  HOLDFAST_OPERATOR_PORT=8081 \
  NODE_ENV=production \
  XDG_CACHE_HOME=/tmp
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080 8081
# Process 1 handles SIGTERM itself: it stops accepting, ends running requests, and exits.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/@holdfast/http/dist/main.js"]
CMD ["serve"]
