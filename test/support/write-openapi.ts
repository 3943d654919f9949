/** Writes docs/openapi.json: `node test/support/write-openapi.ts`. A test compares the file with the code. */
import { writeFile } from 'node:fs/promises';
import { formatOpenApiDocument, OPENAPI_FILE } from './openapi-file.ts';

await writeFile(OPENAPI_FILE, formatOpenApiDocument());
