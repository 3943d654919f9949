#!/usr/bin/env node
import { run } from './cli/run.ts';
import { untilWritten } from './cli/until-written.ts';

process.exitCode = await run(process.argv.slice(2));
// Lines that nobody reads would keep the process.
if (!(await untilWritten())) process.exit();
