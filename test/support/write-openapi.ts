/** Writes docs/openapi*.json: `npx node test/support/write-openapi.ts`. A test compares the files with the code. */
import { writeFile } from 'node:fs/promises';
import { OPENAPI_FILES } from './openapi-file.ts';

for (const { file, text } of OPENAPI_FILES) await writeFile(file, text);
