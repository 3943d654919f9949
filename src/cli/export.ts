import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { holdLocalService, LOCAL_FILES } from '../../clients/typescript/src/solve/local-service.ts';
import { CAMPAIGN_FORMAT, writeLine } from '../application/exports/campaign-lines.ts';
import { exportSuggestions } from '../application/exports/export-campaign.ts';
import { getAccountId } from '../application/webhooks/manage-webhooks.ts';
import { exportLines } from '../composing/export-lines.ts';
import type { Db } from '../db/connection/transaction.ts';
import { currentVersions } from '../installation.ts';
import { RunFolder } from '../runner/run-folder.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { withDatabase } from './with-database.ts';

const FLAGS = {
  model: text,
  account: text,
  deleted: { type: 'boolean' },
  campaign: { type: 'boolean' },
  problem: text,
} as const;

export const exportCommand: Command = {
  summary: "write an account's models, or one of them, to the standard output as lines of JSON",
  usage: `Usage: backsolve export [--model MODEL_ID] [--account NAME] [--deleted] > FILE
       backsolve export --campaign (--model MODEL_ID [--account NAME] | --problem FILE) > FILE

Writes what GET /v1/export answers: all models of the account (default: "default"), or one of them, with everything in
them. --deleted adds what was deleted and is not purged yet. The last line has the type end; a file without it is
incomplete. Uses DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it runs or not.

--campaign writes one model with everything that its suggestions were computed from, seeds and versions, so that \`backsolve
replay\` repeats them anywhere. --problem names a problem file that \`backsolve run\` has worked on, instead of its model.`,
  flags: FLAGS,

  async run(args, config) {
    const { account, modelId, withDeleted, campaign, problem } = parse(args);
    const place = problem === null ? { config, modelId } : await findProblem(problem, config);
    await onProblem(place, async (db) => {
      const accountId = await getAccountId(db, account);
      const all = await exportLines(db, accountId, { modelId: place.modelId, withDeleted }, config);
      await write(campaign ? withSuggestions(db, { accountId, modelId: place.modelId!, problem, config }, all) : all);
    });
    return 0;
  },
};

async function write(text: AsyncIterable<string>): Promise<void> {
  await pipeline(text, process.stdout, { end: false });
  // Waits for a slow reader: unwritten output would be lost when the process exits.
  await new Promise((resolve) => process.stdout.write('', resolve));
}

interface Campaign {
  readonly accountId: number;
  readonly modelId: number;
  readonly problem: string | null;
  readonly config: Config;
}

/** The lines of a campaign; those of the export come last, with the one that says that the file is whole. */
async function* withSuggestions(db: Db, campaign: Campaign, all: AsyncIterable<string>): AsyncGenerator<string, void> {
  const { accountId, modelId, problem, config } = campaign;
  yield writeLine({
    type: 'campaign',
    format: CAMPAIGN_FORMAT,
    versions: currentVersions(),
    exportedAt: new Date().toISOString(),
    problem: problem === null ? null : { file: path.basename(problem), text: await readFile(problem, 'utf8') },
  });
  yield* exportSuggestions(db, accountId, modelId, config.engine.workLimit);
  yield* all;
}

interface ProblemPlace {
  readonly config: Config;
  /** The folder of the service whose database it is; absent for the database of the configuration. */
  readonly home?: string;
}

/** As withDatabase; the service of the problem's folder does not end meanwhile, which would end the database. */
export async function onProblem<T>({ config, home }: ProblemPlace, work: (db: Db) => Promise<T>): Promise<T> {
  const leave = home === undefined ? undefined : await holdLocalService(home);
  try {
    return await withDatabase(config, work);
  } finally {
    await leave?.();
  }
}

/** The model of a problem file, and the database that has it. `advice` says what to do where a service has it. Throws CommandError. */
export async function findProblem(
  file: string,
  config: Config,
  advise = (modelId: number) => `export it there: backsolve export --campaign --model ${modelId}`,
): Promise<ProblemPlace & { readonly home: string; readonly modelId: number }> {
  const folder = new RunFolder(file);
  const record = await folder.read();
  if (record === undefined || record.modelId === null) {
    throw new CommandError(`${file} has not been worked on here: there is no record of it in ${folder.path}.`, 1);
  }
  const { modelId, service } = record;
  if (service !== null) {
    throw new CommandError(`${file} was solved on the service at ${service}; ${advise(modelId)}.`, 1);
  }
  const home = path.dirname(folder.path);
  const dataDir = path.join(home, LOCAL_FILES.data);
  return { modelId, home, config: { ...config, dataDir, database: { ...config.database, url: undefined } } };
}

function parse(args: readonly string[]) {
  const { usage } = exportCommand;
  const { values } = parseCommand(usage, { args: [...args], options: FLAGS });
  const { model, account = 'default', deleted: withDeleted = false, campaign = false, problem = null } = values;
  const refuse = (message: string) => new CommandError(`${message}\n\n${usage}`);
  if (model !== undefined && !/^[1-9]\d{0,14}$/.test(model))
    throw refuse(`--model takes the number of a model, not "${model}".`);
  if (problem !== null && !campaign) throw refuse('--problem is for --campaign.');
  if (campaign && withDeleted) throw refuse('--campaign has no deleted records: leave out --deleted.');
  if (campaign && (model === undefined) === (problem === null))
    throw refuse('--campaign takes one model: name it with either --model or --problem.');
  return { account, modelId: model === undefined ? null : Number(model), withDeleted, campaign, problem };
}
