import { buildOpenApiDocument, buildSdkOpenApiDocument } from '../src/http/openapi.ts';

/** The committed documents of both dialects, and their required content. */
export const OPENAPI_FILES = [
  { file: new URL('../docs/openapi.json', import.meta.url), text: format(buildOpenApiDocument()) },
  { file: new URL('../docs/openapi-sdk.json', import.meta.url), text: format(buildSdkOpenApiDocument()) },
] as const;

function format(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
