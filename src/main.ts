import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Reading the sources takes most of a short command. Inside the installation, where nobody else can put anything.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/backsolve', import.meta.url)));
const { run } = await import('./cli/dispatch.ts');
const { untilWritten } = await import('./cli/until-written.ts');

process.exitCode = await run(process.argv.slice(2));
// Unread output would keep the process alive.
if (!(await untilWritten())) process.exit();
