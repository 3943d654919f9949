/** Runs a durable embedded server until it is killed, and prints its URL when ready. Argument: the folder. */
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const server = await startEmbeddedPostgres({ dataDir: process.argv[2]!, log });
console.log(server.url);
