/**
 * The service as a process of its own, with the cheap engine, for benchmarks. Takes its settings from the environment as
 * the product does; prints one line {"url", "key"} when ready; ends with its standard input.
 */
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { createKey } from '../../src/application/manage-keys.ts';
import { startService } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';

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
