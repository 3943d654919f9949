/**
 * Injects faults into processes and the database while clients work, and then checks that nothing was lost, doubled or changed.
 *
 *   npx node bench/chaos/run.ts [--inverses 10000] [--clients 8] [--seconds 3600] [--seed 1] [--ingresses 2] [--workers 3]
 *     [--faults restart-fast,restart-immediate,kill,cut,half-open,full,away] [--away-seconds 60] [--gap-seconds 20]
 *     [--pause-seconds 4] [--inverse-limit 12] [--report file.json] [--folder dir]
 *
 * Clients play objectives over HTTP against several ingress and worker processes on one Postgres until enough inverses have
 * their outputs and every fault has happened. Then the same objectives are played undisturbed on a fresh database, and both
 * runs are compared bit by bit. Every eighth objective learns from the other ones of its trial; its suggestions are repeated from
 * their recorded sources in the database. The same applies to those of another eighth, with
 * several open inverses. Exits with code 1 on any violation, and then keeps the folder with the logs and the database.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DatabaseServer } from '../../harness/database-server.ts';
import { DATABASE_FAULTS, type FaultName } from './faults.ts';
import { type Outcome, type RunOptions, runChaos, runUndisturbed } from './phases.ts';
import { makeReport, printReport } from './report.ts';
import { compareRuns } from './verify.ts';

const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
const { values } = parseArgs({
  options: {
    inverses: { type: 'string' },
    // The former name of --inverses.
    steps: text('10000'),
    clients: text('8'),
    seconds: text('3600'),
    seed: text('1'),
    ingresses: text('2'),
    workers: text('3'),
    faults: text(Object.keys(DATABASE_FAULTS).join(',')),
    'away-seconds': text('60'),
    'gap-seconds': text('20'),
    'pause-seconds': text('4'),
    'inverse-limit': text('12'),
    report: { type: 'string' },
    folder: { type: 'string' },
  },
});

const faults = values.faults.split(',').filter((name) => name !== '') as FaultName[];
for (const name of faults) if (!(name in DATABASE_FAULTS)) throw new Error(`there is no fault "${name}"`);
const options: RunOptions = {
  inverses: Number(values.inverses ?? values.steps),
  clients: Number(values.clients),
  limitMs: 1000 * Number(values.seconds),
  seed: Number(values.seed),
  ingresses: Number(values.ingresses),
  workers: Number(values.workers),
  faults,
  awaySeconds: Number(values['away-seconds']),
  gapMs: 1000 * Number(values['gap-seconds']),
  pauseMs: 1000 * Number(values['pause-seconds']),
  inverseLimit: Number(values['inverse-limit']),
  folder: values.folder ?? (await mkdtemp(path.join(tmpdir(), 'backsolve-chaos-'))),
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const server = await DatabaseServer.create(options.folder, ['max_connections=60', 'log_min_messages=warning']);
let outcome: Outcome;
let differences: readonly string[];
try {
  outcome = await runChaos(server, options);
  const calm = await runUndisturbed(server, options, outcome.journals);
  differences = compareRuns(outcome.journals, calm);
} finally {
  await server.close();
}
const report = makeReport(options, outcome, differences);
printReport(report);
if (values.report !== undefined) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`);
if (report.violations.length > 0) {
  console.log(`Logs and database are in ${options.folder}`);
  process.exit(1);
}
await rm(options.folder, { recursive: true, force: true });
process.exit(0);
