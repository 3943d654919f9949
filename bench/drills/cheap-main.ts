/** `serve` or `work` with the cheap engine instead of the optimizer, so that only the cost of the service remains. */
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { untilStopped } from '../../src/cli/until-stopped.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';

const role = process.argv[2];
const config = loadConfig(process.env);
const stopped = untilStopped();
const service = await startService(config, config.database.url!, makeLog(config.log), {
  ingress: role === 'serve',
  worker: role === 'work',
  engine: makeCheapEngine(),
});
await stopped;
await service.close();
