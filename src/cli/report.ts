import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listTrials } from '../application/data/manage-trials.ts';
import { listObjectives } from '../application/search/read-objectives.ts';
import { getAccountId } from '../application/webhooks/manage-webhooks.ts';
import { writeReport } from '../composing/write-report.ts';
import type { Db } from '../db/connection/transaction.ts';
import { DomainError } from '../domain/errors.ts';
import { RunFolder } from '../runner/run-folder.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { findProblem, onProblem } from './export.ts';
import { complain, print } from './print.ts';

const FLAGS = { objective: text, problem: text, account: text } as const;

export const report: Command = {
  summary: 'write an objective as a report to print or file, as PDF or HTML',
  usage: `Usage: backsolve report (--objective OBJECTIVE_ID [--account NAME] | --problem PROBLEM_FILE) FILE.pdf|FILE.html

Writes what GET /v1/objectives/{id}/report answers: problem, result, margins, charts, runs and log. The same state gives the same bytes.
--problem names a problem file that \`backsolve run\` has worked on, and means its newest objective. Uses DATABASE_URL, or the database that
\`start\` keeps in DATA_DIR, whether it runs or not. An existing FILE is replaced.`,
  flags: FLAGS,

  async run(args, config) {
    const wanted = parse(args);
    const place = wanted.problem === null ? { config, project: null } : await findProject(wanted.problem, config);
    await onProblem(place, async (db) => {
      const accountId = await getAccountId(db, wanted.account);
      const objectiveId = place.project === null ? wanted.objectiveId! : await newestOf(db, accountId, place.project);
      const asked = { accountId, objectiveId, format: wanted.format };
      const bytes = await writeReport(db, asked, config, (error) => complain(error.message)).catch(refuse);
      await writeFile(wanted.file, bytes);
    });
    print(wanted.file);
    return 0;
  },
};

function refuse(error: unknown): never {
  throw error instanceof DomainError ? new CommandError(error.message, 1) : error;
}

interface ProjectOfFile {
  readonly modelId: number;
  readonly projectId: number;
}

/** Finds the project of a problem file, and the database that has it. Throws CommandError. */
async function findProject(
  file: string,
  config: Config,
): Promise<{ readonly config: Config; readonly home: string; readonly project: ProjectOfFile }> {
  const advise = () => 'ask it for the report: GET /v1/objectives/{id}/report';
  const { config: own, home, modelId } = await findProblem(file, config, advise);
  const record = await new RunFolder(file).read();
  if (record?.projectId == null) throw new CommandError(NO_SEARCH, 1);
  return { config: own, home, project: { modelId, projectId: record.projectId } };
}

const NO_SEARCH = 'The problem has no search yet: its first runs come before it.';

async function newestOf(db: Db, accountId: number, project: ProjectOfFile): Promise<number> {
  const newest = { limit: 1, after: null, isNewestFirst: true };
  const [trial] = (await listTrials(db, accountId, project, newest)).items;
  if (trial === undefined) throw new CommandError(NO_SEARCH, 1);
  const { batches } = await listObjectives(db, accountId, { ...project, trialId: trial.id }, newest);
  for await (const [first] of batches) if (first !== undefined) return first.objective.id;
  throw new CommandError(NO_SEARCH, 1);
}

function parse(args: readonly string[]) {
  const { usage } = report;
  const { values, positionals } = parseCommand(usage, { args: [...args], options: FLAGS, allowPositionals: true });
  const { objective, problem = null, account = 'default' } = values;
  const [file, ...others] = positionals;
  const refuse = (message: string) => new CommandError(`${message}\n\n${usage}`);
  if ((objective === undefined) === (problem === null)) throw refuse('Name either --objective or --problem.');
  if (objective !== undefined && !/^[1-9]\d{0,14}$/.test(objective))
    throw refuse(`--objective takes the number of an objective, not "${objective}".`);
  if (file === undefined || others.length > 0) throw refuse('Name one file to write.');
  const ending = path.extname(file).toLowerCase();
  if (ending !== '.pdf' && ending !== '.html') throw refuse(`A report ends in .pdf or .html, not "${file}".`);
  const format: 'pdf' | 'html' = ending === '.pdf' ? 'pdf' : 'html';
  return { objectiveId: objective === undefined ? null : Number(objective), problem, account, file, format };
}
