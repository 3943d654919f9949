import { once } from 'node:events';
import { environmentForPrograms } from '../config.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { openLocalService } from './local-service.ts';

/** Started by the clients for `local`, never by hand, so it is in no list of commands. */
export const local: Command = {
  summary: 'the service of a folder, for as long as a client uses it',
  usage: `Usage: backsolve local FOLDER

Started by the clients: starts the service of FOLDER unless it runs, prints its address and its API key as one line of JSON, and
stops using it when standard input ends.`,
  flags: {},

  async run(args) {
    const [folder] = parseCommand(this.usage, { args: [...args], allowPositionals: true, options: {} }).positionals;
    if (folder === undefined) throw new CommandError(this.usage);
    const ended = once(process.stdin, 'end');
    process.stdin.resume();
    const service = await openLocalService(folder, {
      environment: environmentForPrograms(),
      onStart: () => undefined,
    });
    try {
      const { url, key } = service;
      console.log(JSON.stringify({ url, key }));
      await ended;
      return 0;
    } finally {
      await service.release();
    }
  },
};
