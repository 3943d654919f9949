import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { CampaignHeader, Versions } from '../application/exports/campaign-lines.ts';
import { CampaignError, type Repeated, replayCampaign } from '../application/exports/replay-campaign.ts';
import { startEngine } from '../engine/pool.ts';
import { currentVersions } from '../installation.ts';
import { onlyFile } from './backup.ts';
import { type Command, CommandError } from './command.ts';
import { complain, print } from './print.ts';

export const replay: Command = {
  summary: 'compute the suggestions of a campaign again and compare them bit for bit',
  usage: `Usage: backsolve replay FILE

Reads FILE, which \`backsolve export --campaign\` wrote, computes every suggestion again from what it was computed from, and says
where one differs from the recorded one. Needs no database.

Exit codes: 0 every suggestion is the same bit for bit, 1 some are not, 2 the file is no whole campaign.`,
  flags: {},

  async run(args, config) {
    const file = onlyFile(this.usage, args);
    const stats = await stat(file).catch((error: Error) => {
      throw new CommandError(`The file cannot be read: ${error.message}`);
    });
    if (!stats.isFile()) throw new CommandError(`${file} is no file: name what backsolve export --campaign wrote.`);
    const { threads } = config.engine;
    const engine = startEngine({ ...config.engine, keepWarm: false, onError: (error) => complain(error.message) });
    const never = new AbortController().signal;
    try {
      const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
      return await report(replayCampaign(lines, engine, { threads, signal: never }));
    } catch (error) {
      throw error instanceof CampaignError ? new CommandError(`${file}: ${error.message}`) : error;
    } finally {
      await engine.close();
    }
  },
};

/** Returns the exit code. */
async function report(results: AsyncIterable<CampaignHeader | Repeated>): Promise<number> {
  let [count, different] = [0, 0];
  let recordedBy: Versions | undefined;
  for await (const result of results) {
    if ('type' in result) {
      recordedBy = result.versions;
      continue;
    }
    count += 1;
    if (result.difference === null) continue;
    different += 1;
    const { objectiveId, iteration } = result.line;
    print(`Search ${objectiveId}, suggestion ${iteration}: ${result.difference}.`);
  }
  if (different === 0)
    print(`${count === 1 ? 'The one suggestion is' : `All ${count} suggestions are`} the same bit for bit.`);
  else print(`${different} of ${count} suggestions differ.`);
  const [then, now] = [describe(recordedBy!), describe(currentVersions())];
  if (then !== now) print(`Exported by ${then}; repeated by ${now}.`);
  return different === 0 ? 0 : 1;
}

function describe({ backsolve, node, v8, platform }: Versions): string {
  return `Backsolve ${backsolve} on Node ${node} (V8 ${v8}, ${platform})`;
}
