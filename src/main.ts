import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// A launcher that was killed takes this process with it, as if this one had been killed: what it left is taken up by the next start.
if (process.connected !== undefined) {
  const end = () => process.kill(process.pid, 'SIGKILL');
  if (!process.connected) end();
  process.once('disconnect', end);
  process.channel?.unref();
}

// Reading the sources takes most of a short command. Inside the installation, where no other user can put anything.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/backsolve', import.meta.url)));
const { run } = await import('./cli/dispatch.ts');
const { untilWritten } = await import('./cli/until-written.ts');

process.exitCode = await run(process.argv.slice(2));
// Unread output would keep the process alive.
if (!(await untilWritten())) process.exit();
