/** The reference of the API: a document per dialect, and a page to read the native one that needs nothing from elsewhere. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { NATIVE_PREFIX } from '../native/paths.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from '../openapi.ts';
import { SDK_PREFIX } from '../sdk/paths.ts';

const DOCUMENT_MAX_AGE_SECONDS = 300;
const PAGE_PREFIX = '/docs';

/** The plugin's own policy sends browsers to https, which a service on plain http in a private network does not have. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function addReference(app: FastifyInstance): Promise<void> {
  const document = buildOpenApiDocument();
  serveDocument(app, NATIVE_PREFIX, document);
  serveDocument(app, SDK_PREFIX, buildSdkOpenApiDocument());
  app.get('/', async (_, reply) => reply.redirect(PAGE_PREFIX));
  await app.register(swagger, {
    mode: 'static',
    specification: { document: document as never },
  });
  await app.register(swaggerUi, {
    routePrefix: PAGE_PREFIX,
    staticCSP: true,
    transformStaticCSP: () => PAGE_POLICY,
    uiConfig: { docExpansion: 'list', deepLinking: true, persistAuthorization: false, validatorUrl: null },
    theme: { title: 'Backsolve API' },
  });
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
