import { pipeline } from 'node:stream/promises';
import { getAccountId } from '../application/webhooks/manage-webhooks.ts';
import { beginExport } from '../http/native/export.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { withDatabase } from './with-database.ts';

export const exportCommand: Command = {
  summary: "write an account's models, or one of them, to the standard output as lines of JSON",
  usage: `Usage: backsolve export [--model MODEL_ID] [--account NAME] [--deleted] > FILE

Writes what GET /v1/export answers: all models of the account (default: "default"), or one of them, with everything in
them. --deleted adds what was deleted and is not purged yet. The last line has the type end; a file without it is
incomplete. Uses DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it runs or not.`,
  flags: { model: text, account: text, deleted: { type: 'boolean' } },

  async run(args, config) {
    const { account, modelId, withDeleted } = parse(args);
    await withDatabase(config, async (db) => {
      const accountId = await getAccountId(db, account);
      await pipeline(await beginExport(db, accountId, { modelId, withDeleted }), process.stdout, { end: false });
      // Waits for a slow reader: unwritten output would be lost when the process exits.
      await new Promise((resolve) => process.stdout.write('', resolve));
    });
    return 0;
  },
};

function parse(args: readonly string[]) {
  const { values } = parseCommand(exportCommand.usage, {
    args: [...args],
    options: {
      model: text,
      account: { ...text, default: 'default' },
      deleted: { type: 'boolean', default: false },
    },
  });
  if (values.model !== undefined && !/^[1-9]\d{0,14}$/.test(values.model)) {
    throw new CommandError(`--model takes the number of a model, not "${values.model}".\n\n${exportCommand.usage}`);
  }
  const modelId = values.model === undefined ? null : Number(values.model);
  return { account: values.account, modelId, withDeleted: values.deleted };
}
