#!/usr/bin/env node
/** The command of the npm package: what is built runs on the Node that npm runs on. */
import { onNpxGone } from './npx.js';

const OLDEST = 20;
if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  console.error(`Backsolve needs Node.js ${OLDEST} or later, and this is ${process.version}: https://nodejs.org`);
  process.exit(1);
}
onNpxGone(() => process.kill(process.pid, 'SIGTERM'));
await import('../lib/main.js');
