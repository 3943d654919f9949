/** Writes docs/openapi*.json and what is generated for the clients: `npm run client`. Tests compare the files with the code. */
import { writeFile } from 'node:fs/promises';
import { buildClientFiles } from './client-files.ts';
import { OPENAPI_FILES } from './openapi-file.ts';
import { buildPythonFiles } from './python-files.ts';
import { buildRefusalFile } from './refusal-cases.ts';

for (const { file, text } of [...OPENAPI_FILES, ...buildClientFiles(), ...buildPythonFiles(), buildRefusalFile()])
  await writeFile(file, text);
