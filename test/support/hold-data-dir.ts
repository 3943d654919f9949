/** A process that holds an embedded server until it is ended: `node hold-data-dir.ts <folder>`; prints its URL when ready. Durable. */
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const server = await startEmbeddedPostgres({ dataDir: process.argv[2]!, log });
console.log(server.url);
