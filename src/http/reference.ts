/** The OpenAPI document of each dialect. */
import type { FastifyInstance } from 'fastify';
import { NATIVE_PREFIX } from './native/paths.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from './openapi.ts';
import { SDK_PREFIX } from './sdk/paths.ts';

const DOCUMENT_MAX_AGE_SECONDS = 300;

export function addReference(app: FastifyInstance): void {
  serveDocument(app, NATIVE_PREFIX, buildOpenApiDocument());
  serveDocument(app, SDK_PREFIX, buildSdkOpenApiDocument());
}

function serveDocument(app: FastifyInstance, prefix: string, document: object): void {
  const text = JSON.stringify(document);
  app.get(`${prefix}/openapi.json`, async (_, reply) =>
    reply
      .header('cache-control', `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`)
      .type('application/json; charset=utf-8')
      .send(text),
  );
}
