/**
 * The service as a separate process for benchmarks, with the cheap engine if started with --cheap. Reads its settings from the
 * environment, prints one line {"url", "key"} when ready, and ends when its standard input is closed.
 */
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';

const config = loadConfig(process.env);
const service = await startService(config, config.database.url!, makeLog(config.log), {
  ingress: true,
  worker: true,
  ...(process.argv.includes('--cheap') ? { engine: makeCheapEngine() } : {}),
});
const account = { account: 'bench', label: null, scopes: ['read', 'write'], expiresAt: null } as const;
console.log(JSON.stringify({ url: service.url, key: await createKey(service.db, account) }));
process.stdin.resume();
process.stdin.on('end', async () => {
  await service.close();
  process.exit(0);
});
