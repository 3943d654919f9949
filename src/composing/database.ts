/** The database alone, for commands that need no service: reading all of the sources would take most of their time. */

import { type AroundStatement, connect } from '../db/connection/client.ts';
import { type Db, databaseTrouble } from '../db/connection/transaction.ts';
import type { Log } from '../log.ts';
import type { Config } from '../settings/config.ts';

/** For commands: kinds of database errors. */
export { databaseTrouble };

interface Observers {
  readonly aroundStatement?: AroundStatement;
  readonly onDiskFull?: () => void;
}

/** A pool with the settings of the configuration. */
export function openDatabase(config: Config, url: string, log: Log, observers: Observers = {}): Db {
  return connect({
    ...observers,
    url,
    poolSize: config.database.poolSize,
    preparesStatements: config.database.preparesStatements,
    statementTimeoutMs: config.database.statementTimeoutMs,
    lockTimeoutMs: config.database.lockTimeoutMs,
    applicationName: 'backsolve',
    onConnectionError: (error) => log.warn({ err: error }, 'database.connection-lost'),
  });
}
