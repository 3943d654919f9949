/**
 * What a problem file leaves behind, beside it:
 *
 *   .backsolve/NAME/problem.json   what was created on the service, and for which definition
 *   .backsolve/NAME/runs.jsonl     the journal
 *   .backsolve/NAME/work           work folders of runs
 *   NAME.csv, NAME.json            results
 */
import { randomUUID } from 'node:crypto';
import { access, rename } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, syncFolder } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { makeOwnFolder, readOwn } from '../../clients/typescript/src/evaluator/own-files.ts';
import type { Body } from './problem-bodies.ts';

/** A batch that was created, or is about to be: its number is part of its Idempotency-Key. */
export interface BatchRecord {
  readonly id: number | null;
  /** The targets that it was created for, and their budget. */
  readonly objectives: readonly Body[];
  readonly maximumRuns: number | null;
  /** What was sent, so that it is sent again unchanged; null before. */
  readonly body: Body | null;
  /** How many failed runs had been tried again before. */
  readonly retried?: number;
}

export interface ProblemRecord {
  readonly version: 1;
  /** Identity of the problem for the service; Idempotency-Keys are made of it. */
  readonly id: string;
  readonly file: string;
  /** The address of a remote service, or null for the one in .backsolve. */
  readonly service: string | null;
  /** The body of the project: inputs, constraints, outputs. */
  readonly project: Body;
  /** A hash of how the black box is called; records of earlier versions have none. */
  readonly command?: string;
  readonly modelId: number | null;
  readonly projectId: number | null;
  readonly trialId: number | null;
  /** SHA-256 of the known runs that the trial has. */
  readonly known: string | null;
  /** The newest last. */
  readonly batches: readonly BatchRecord[];
  /** Names of the result files, in the folder of the problem file. */
  readonly results: { readonly csv: string; readonly json: string };
}

export class RunFolder {
  /** Absolute. */
  readonly path: string;
  readonly file: string;
  /** The folder of the problem file. */
  readonly home: string;
  readonly name: string;

  constructor(file: string) {
    this.file = path.resolve(file);
    this.home = path.dirname(this.file);
    this.name = path.parse(this.file).name;
    this.path = path.join(this.home, '.backsolve', this.name);
  }

  get journal(): string {
    return path.join(this.path, 'runs.jsonl');
  }

  get lock(): string {
    return path.join(this.path, 'owner.lock');
  }

  get work(): string {
    return path.join(this.path, 'work');
  }

  get #record(): string {
    return path.join(this.path, 'problem.json');
  }

  async make(): Promise<void> {
    await makeOwnFolder(path.dirname(this.path));
    await makeOwnFolder(this.path);
    const ignore = path.join(this.home, '.backsolve', '.gitignore');
    if (!(await exists(ignore))) await replaceFile(ignore, '*\n');
  }

  /** Undefined before the first run. */
  async read(): Promise<ProblemRecord | undefined> {
    const text = await readOwn(this.#record);
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as ProblemRecord;
    // Only its ending was changed.
    const isRenamed = record.file !== this.#base && !(await exists(path.join(this.home, record.file)));
    return isRenamed ? { ...record, file: this.#base } : record;
  }

  get #base(): string {
    return path.basename(this.file);
  }

  /** Goes on with what was begun under another name. A crash in between is made good by the next call. */
  async takeOver(earlier: RunFolder): Promise<void> {
    // The journal first: its record would begin without runs otherwise.
    await rename(earlier.journal, this.journal).catch(ignoreMissing);
    await rename(earlier.#record, this.#record);
    await syncFolder(this.path);
    const record = JSON.parse((await readOwn(this.#record))!) as ProblemRecord;
    await this.write({ ...record, file: this.#base });
  }

  write(record: ProblemRecord): Promise<void> {
    return replaceFile(this.#record, `${JSON.stringify(record, null, 2)}\n`, { isDurable: true });
  }

  /** A record under which nothing exists yet. */
  async begin(project: Body, service: string | null, known: string | null): Promise<ProblemRecord> {
    const record: ProblemRecord = {
      version: 1,
      id: randomUUID(),
      file: this.#base,
      service,
      project,
      modelId: null,
      projectId: null,
      trialId: null,
      known: null,
      batches: [],
      results: await this.#nameResults(known),
    };
    await this.write(record);
    return record;
  }

  /** What --new leaves of an earlier beginning: record and journal under other names. */
  async putAside(): Promise<void> {
    for (let n = 1; ; n++) {
      const aside = (file: string) => `${file}.${n}`;
      if ((await exists(aside(this.#record))) || (await exists(aside(this.journal)))) continue;
      // The journal first: without it the record would begin with runs that are not its own.
      await rename(this.journal, aside(this.journal)).catch(ignoreMissing);
      await rename(this.#record, aside(this.#record)).catch(ignoreMissing);
      await syncFolder(this.path);
      return;
    }
  }

  /** Results never replace a file that is not theirs: the problem itself, known runs, or anything that stood there before. */
  async #nameResults(known: string | null): Promise<ProblemRecord['results']> {
    const earlier = await this.#earlierResults();
    if (earlier !== undefined) return earlier;
    for (const stem of [this.name, `${this.name}.result`]) {
      const results = { csv: `${stem}.csv`, json: `${stem}.json` };
      const files = Object.values(results).map((name) => path.join(this.home, name));
      const knownFile = known === null ? undefined : path.resolve(this.home, known);
      const taken = await Promise.all(files.map(async (file) => file === knownFile || (await exists(file))));
      if (!taken.includes(true)) return results;
    }
    return { csv: `${this.name}.result.csv`, json: `${this.name}.result.json` };
  }

  /** Those of the beginning that was put aside last. */
  async #earlierResults(): Promise<ProblemRecord['results'] | undefined> {
    let results: ProblemRecord['results'] | undefined;
    for (let n = 1; ; n++) {
      const text = await readOwn(`${this.#record}.${n}`);
      if (text === undefined) return results;
      results = (JSON.parse(text) as ProblemRecord).results;
    }
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
