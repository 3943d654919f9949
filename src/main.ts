import './earlier-node.ts';
import { cacheCompiledCode } from './compile-cache.ts';

// A killed launcher takes this process with it, as if this one had been killed: the next start resumes its work.
if (process.connected !== undefined) {
  const end = () => process.kill(process.pid, 'SIGKILL');
  if (!process.connected) end();
  process.once('disconnect', end);
  process.channel?.unref();
}

cacheCompiledCode();
const { run } = await import('./cli/dispatch.ts');
const { untilWritten } = await import('./cli/until-written.ts');

process.exitCode = await run(process.argv.slice(2));
// Unread output would keep the process alive.
if (!(await untilWritten())) process.exit();
