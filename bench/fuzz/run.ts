/**
 * Fuzzes both dialects with requests generated from their OpenAPI documents; README.md lists the checks and the exceptions.
 *
 *   npx node bench/fuzz/run.ts [--seed 1] [--examples 100] [--minimum-cases 5000] [--cache folder]
 *
 * Prints one JSON line with the figures, and exits with code 1 unless every requirement is met.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readReport, readServiceLog } from './outcome.ts';
import { preparePython } from './python.ts';
import { makeRecords } from './records.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';

const { values: options } = parseArgs({
  options: {
    cache: { type: 'string', default: `${homedir()}/.cache/backsolve-fuzz` },
    seed: { type: 'string', default: '1' },
    /** Cases per operation in the random phase; the systematic phase adds as many as the document calls for. */
    examples: { type: 'string', default: '100' },
    /** Minimum for both documents together. */
    'minimum-cases': { type: 'string', default: '5000' },
  },
});

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENTS = [
  { document: 'openapi', prefix: '/v1' },
  { document: 'openapi-sdk', prefix: '/api' },
] as const;
type Document = (typeof DOCUMENTS)[number];

async function fuzz({ document, prefix }: Document, python: string, service: FuzzedService, folder: string) {
  const report = `${folder}/${document}.json`;
  const args = [
    `--config-file=${HERE}schemathesis.toml`,
    'run',
    fileURLToPath(new URL(`../../docs/${document}.json`, import.meta.url)),
    `--url=${service.origin}${prefix}`,
    `--max-examples=${options.examples}`,
    `--seed=${options.seed}`,
    '--no-color',
    '--report=json,ndjson',
    `--report-json-path=${report}`,
    `--report-ndjson-path=${folder}/${document}.ndjson`,
  ];
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: HERE,
    PYTHONDONTWRITEBYTECODE: '1',
    FUZZ_RECORDS: `${folder}/records.json`,
    BACKSOLVE_API_KEY: service.key,
  };
  const child = spawn(`${python}/bin/st`, args, { cwd: folder, env, stdio: 'inherit' });
  await once(child, 'exit');
  return readReport(report, document);
}

async function run(folder: string) {
  const python = preparePython(options.cache);
  const service = await startFuzzedService(folder);
  try {
    writeFileSync(`${folder}/records.json`, JSON.stringify(await makeRecords(service.origin, service.key)));
    const documents = [];
    for (const document of DOCUMENTS) documents.push(await fuzz(document, python, service, folder));
    return { documents, isAlive: service.isAlive() };
  } finally {
    await service.stop();
  }
}

const folder = mkdtempSync(`${tmpdir()}/backsolve-fuzz-`);
const started = performance.now();
const { documents, isAlive } = await run(folder);
const { answers, serverErrors } = readServiceLog(`${folder}/service.log`);
const cases = documents.reduce((sum, { cases }) => sum + cases, 0);
const unfinished = documents.reduce((sum, { unfinished }) => sum + unfinished, 0);
const failures = documents.flatMap(({ failures }) => Object.values(failures)).reduce((sum, count) => sum + count, 0);
const hasPassed = isAlive && cases >= Number(options['minimum-cases']) && failures + unfinished + serverErrors === 0;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  JSON.stringify({
    hasPassed,
    cases,
    failures,
    unfinished,
    serverErrors,
    isAlive,
    answers,
    seconds,
    seed: options.seed,
    documents,
  }),
);
if (hasPassed) rmSync(folder, { recursive: true });
else console.error(`Reports and the service's log are kept in ${folder}`);
process.exitCode = hasPassed ? 0 : 1;
