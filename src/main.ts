import { run } from './cli/dispatch.ts';
import { untilWritten } from './cli/until-written.ts';

process.exitCode = await run(process.argv.slice(2));
// Unread output would keep the process alive.
if (!(await untilWritten())) process.exit();
