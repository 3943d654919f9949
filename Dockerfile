# One image for every role, chosen by the command: serve (default), work, migrate, keys, ...
#   docker build -t backsolve .
# Node runs TypeScript directly; only the page is built, in a stage whose development dependencies stay behind.

# Pinned: a tag may move, a digest cannot. This is the digest of the index of all platforms, as listed by Docker
# (github.com/docker-library/repo-info, repos/node/remote); deploy/pin-images.sh renews it.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded database is for machines without a server; a container gets DATABASE_URL.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force

# The bundler comes as an optional package per platform, so nothing is omitted here.
FROM ${NODE_IMAGE} AS page
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY clients/typescript ./clients/typescript
COPY src/dashboard ./src/dashboard
COPY src/numbers ./src/numbers
COPY src/presentation ./src/presentation
COPY docs ./docs
COPY tools/build-page.ts tools/build-docs.ts tools/search-index.ts ./tools/
COPY tools/render-guide.ts tools/render-reference.ts tools/render-schema.ts ./tools/
RUN node tools/build-page.ts

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="backsolve" \
      org.opencontainers.image.description="Finds the inputs of an expensive black box that give the outputs you want, in the fewest runs." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/backsolve/backsolve"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 HEALTH_PORT=8081 METRICS_PORT=9464
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY . .
COPY --from=page /app/dist/page ./dist/page
# Files belong to root and are never written, so the root file system may be read-only.
USER node
EXPOSE 8080 8081 9464
# serve answers on PORT, work on HEALTH_PORT; one of them must be live.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "const ask = (port) => fetch(`http://127.0.0.1:${port}/livez`).then((answer) => { if (!answer.ok) throw answer.status; }); Promise.any([ask(process.env.PORT), ask(process.env.HEALTH_PORT)]).catch(() => process.exit(1))"]
# Node is process 1 and handles SIGTERM and SIGINT itself.
ENTRYPOINT ["node", "--max-semi-space-size=16", "src/main.ts"]
CMD ["serve"]
