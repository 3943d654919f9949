/** Memory, handles and sizes of `serve`, `work` and the database, scraped continuously into samples. Reads /proc: Linux only. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Process } from './fleet.ts';

const SCRAPE_MS = 500;
/** The queue's table swells until autovacuum runs, once a minute; its maximum over a longer time counts. */
const SWING_SCRAPES = 90_000 / SCRAPE_MS;

/** Figures that must not grow, with their units. */
export const WATCHED = {
  serveResident: 'MiB',
  serveHeap: 'MiB',
  serveExternal: 'MiB',
  serveHandles: '',
  serveFiles: '',
  workResident: 'MiB',
  workHeap: 'MiB',
  workExternal: 'MiB',
  workHandles: '',
  workFiles: '',
  connections: '',
  queueTable: 'MiB',
} as const;
/** Figures that grow with the data that the service is meant to keep. */
export const KEPT = { keysTable: 'MiB', inversesTable: 'MiB', database: 'MiB' } as const;
export type Figure = keyof typeof WATCHED | keyof typeof KEPT;
export const UNITS: Readonly<Record<Figure, string>> = { ...WATCHED, ...KEPT };

export type Sample = { readonly cycles: number } & Readonly<Record<Figure, number>>;

export interface Watched {
  readonly serve: Process;
  readonly metricsPort: number;
  readonly work: Process;
  readonly database: pg.Client;
}

/** Scrapes continuously and condenses the scrapes of every so many cycles into a sample. */
export class Watch {
  readonly #watched: Watched;
  readonly #every: number;
  readonly #samples: Sample[] = [];
  readonly #scraping: Promise<void>;
  #scrapes: Readonly<Record<Figure, number>>[] = [];
  readonly #queueTable: number[] = [];
  #cycles = 0;
  #isOver = false;

  /** @param every  cycles per sample */
  constructor(watched: Watched, every: number) {
    this.#watched = watched;
    this.#every = every;
    this.#scraping = this.#scrapeAll();
  }

  note(cycles: number): void {
    this.#cycles = cycles;
  }

  async end(): Promise<readonly Sample[]> {
    this.#isOver = true;
    await this.#scraping;
    return this.#samples;
  }

  async #scrapeAll(): Promise<void> {
    let next = this.#every;
    while (!this.#isOver) {
      const startedAt = performance.now();
      const scraped = await scrape(this.#watched);
      this.#queueTable.push(scraped.queueTable);
      this.#scrapes.push({ ...scraped, queueTable: Math.max(...this.#queueTable.slice(-SWING_SCRAPES)) });
      if (this.#cycles >= next && this.#scrapes.length > 0) {
        this.#samples.push({ cycles: this.#cycles, ...summarize(this.#scrapes) });
        this.#scrapes = [];
        while (next <= this.#cycles) next += this.#every;
        if (this.#samples.length % 10 === 0) console.log(`${this.#cycles} cycles`);
      }
      await delay(Math.max(0, SCRAPE_MS - (performance.now() - startedAt)));
    }
  }
}

async function scrape({ serve, metricsPort, work, database }: Watched): Promise<Readonly<Record<Figure, number>>> {
  const [ofServe, ofWork, { rows }] = await Promise.all([
    readProcess(serve.pid, metricsPort),
    readProcess(work.pid, work.port),
    database.query<Record<'connections' | 'queueTable' | 'keysTable' | 'inversesTable' | 'database', string>>(`
      select (select count(*) from pg_stat_activity where datname = current_database()) as connections,
        pg_total_relation_size('suggestion_jobs') as "queueTable",
        pg_total_relation_size('idempotency_keys') as "keysTable",
        pg_total_relation_size('inverses') as "inversesTable",
        pg_database_size(current_database()) as database`),
  ]);
  const sizes = Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
  return {
    serveResident: ofServe.resident,
    serveHeap: ofServe.heap,
    serveExternal: ofServe.external,
    serveHandles: ofServe.handles,
    serveFiles: ofServe.files,
    workResident: ofWork.resident,
    workHeap: ofWork.heap,
    workExternal: ofWork.external,
    workHandles: ofWork.handles,
    workFiles: ofWork.files,
    ...(sizes as Record<'connections' | keyof typeof KEPT | 'queueTable', number>),
  };
}

/** Reads what a process of the service keeps, in bytes and counts; NaN for a metric that it does not have. Linux only. */
export async function readProcess(pid: number, port: number) {
  const [status, answer] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text()),
  ]);
  const metric = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(answer)?.[1] ?? Number.NaN);
  const kept = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]);
  return {
    resident: kept('VmRSS'),
    anonymous: kept('RssAnon'),
    heap: metric('nodejs_heap_size_used_bytes'),
    heapTotal: metric('nodejs_heap_size_total_bytes'),
    external: metric('nodejs_external_memory_bytes'),
    handles: metric('nodejs_active_handles_total'),
    files: metric('process_open_fds'),
  };
}

/** The minimum of the heap and of external memory, what remains after garbage collection; the mean of everything else. */
function summarize(scrapes: readonly Readonly<Record<Figure, number>>[]): Readonly<Record<Figure, number>> {
  const names = Object.keys(scrapes[0]!) as Figure[];
  const summary = names.map((name) => {
    const values = scrapes.map((one) => one[name]);
    const isLeast = name.endsWith('Heap') || name.endsWith('External');
    return [name, isLeast ? Math.min(...values) : values.reduce((sum, value) => sum + value, 0) / values.length];
  });
  return Object.fromEntries(summary) as Record<Figure, number>;
}
