import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { getAccountId } from '../application/manage-webhooks.ts';
import { beginExport } from '../compose.ts';
import { type Command, CommandError } from './command.ts';
import { withDatabase } from './with-database.ts';

export const exportCommand: Command = {
  summary: "write an account's models, or one of them, to the standard output as lines of JSON",
  usage: `Usage: backsolve export [--model MODEL_ID] [--account NAME] [--deleted] > FILE

Writes what GET /v1/export answers: all models of the account ("default" unless named), or one of them, with everything in
them. --deleted adds what was deleted and is not purged yet. The last line is of type end; without it the file is not
complete. Uses DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it runs or not.`,

  async run(args, config) {
    const { account, modelId, withDeleted } = parse(args);
    return withDatabase(config, async (db) => {
      const accountId = await getAccountId(db, account);
      const text = await beginExport(db, accountId, { modelId, withDeleted });
      await pipeline(text, process.stdout, { end: false });
      // However slow the reader is: a process that ends takes along what is still in its buffer.
      await new Promise((resolve) => process.stdout.write('', resolve));
    });
  },
};

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        model: text,
        account: { ...text, default: 'default' },
        deleted: { type: 'boolean', default: false },
      },
    });
    if (values.model !== undefined && !/^[1-9]\d{0,14}$/.test(values.model)) {
      throw new Error('Which model? Name it by its number.');
    }
    const modelId = values.model === undefined ? null : Number(values.model);
    return { account: values.account, modelId, withDeleted: values.deleted };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${exportCommand.usage}`);
  }
}
