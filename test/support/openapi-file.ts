import { buildOpenApiDocument } from '../../src/http/openapi.ts';

export const OPENAPI_FILE = new URL('../../docs/openapi.json', import.meta.url);

export function formatOpenApiDocument(): string {
  return `${JSON.stringify(buildOpenApiDocument(), null, 2)}\n`;
}
