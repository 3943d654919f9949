/** The OpenAPI document of each dialect. */
import type { FastifyInstance } from 'fastify';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from './openapi.ts';
import { SDK_PREFIX } from './sdk/paths.ts';
import { NATIVE_PREFIX } from './wire/native-paths.ts';

const DOCUMENT_MAX_AGE_SECONDS = 300;

export function addReference(app: FastifyInstance): void {
  serveDocument(app, NATIVE_PREFIX, buildOpenApiDocument);
  serveDocument(app, SDK_PREFIX, buildSdkOpenApiDocument);
}

/** Built by the first request: that would take most of the start of a service. */
function serveDocument(app: FastifyInstance, prefix: string, build: () => object): void {
  let text: string | undefined;
  app.get(`${prefix}/openapi.json`, async (_, reply) =>
    reply
      .header('cache-control', `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`)
      .type('application/json; charset=utf-8')
      .send((text ??= JSON.stringify(build()))),
  );
}
