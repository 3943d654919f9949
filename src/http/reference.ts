/** The API reference: an OpenAPI document per dialect, and a page for the native one that loads nothing from elsewhere. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { NATIVE_PREFIX } from './native/paths.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from './openapi.ts';
import { SDK_PREFIX } from './sdk/paths.ts';

const DOCUMENT_MAX_AGE_SECONDS = 300;
const PAGE_PREFIX = '/docs';

/** The plugin's own policy redirects browsers to https, which a service on plain http in a private network lacks. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Replaces the logo of the page's library. */
const WORDMARK =
  '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40"><text x="0" y="28" font-family="sans-serif" font-size="26" font-weight="600" fill="#fff">Backsolve</text></svg>';
/** Replaces its icon in the browser's tab. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1b1b1b"/><text x="16" y="24" text-anchor="middle" font-family="sans-serif" font-size="22" font-weight="600" fill="#fff">B</text></svg>';
const SVG = 'image/svg+xml';

export async function addReference(app: FastifyInstance): Promise<void> {
  const document = buildOpenApiDocument();
  serveDocument(app, NATIVE_PREFIX, document);
  serveDocument(app, SDK_PREFIX, buildSdkOpenApiDocument());
  await app.register(swagger, {
    mode: 'static',
    specification: { document: document as never },
  });
  await app.register(swaggerUi, {
    routePrefix: PAGE_PREFIX,
    staticCSP: true,
    transformStaticCSP: () => PAGE_POLICY,
    uiConfig: { docExpansion: 'list', deepLinking: true, persistAuthorization: false, validatorUrl: null },
    logo: { type: SVG, content: Buffer.from(WORDMARK), href: PAGE_PREFIX, target: '_self' },
    theme: {
      title: 'Backsolve API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: SVG, sizes: 'any', content: ICON }],
    },
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
