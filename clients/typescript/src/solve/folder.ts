/**
 * Keeps what a problem leaves on this machine in a folder of its own:
 *
 *   problem.json   what was created on the service, and for which definition
 *   runs.jsonl     the journal
 *   lock.*         the process that works on it
 */
import { randomUUID } from 'node:crypto';
import { access, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, syncFolder } from '../evaluator/durable-files.ts';
import { makeOwnFolder, readOwn } from '../evaluator/own-files.ts';
import type { NewBatch, NewObjectives, NewProject } from '../generated/schemas.ts';
import { lockFolder } from './folder-lock.ts';
import type { MadeAgain } from './kept.ts';
import type { Looks } from './looks.ts';
import type { Plan } from './plan.ts';

/** A batch that was created, or is about to be: its place in the list is part of its Idempotency-Key. */
export interface BatchRecord {
  readonly id: number | null;
  /** Objectives for which it was created. */
  readonly objectives: readonly NewObjectives[];
  readonly budget: number | null;
  /** The request as sent, so that it is sent again unchanged; null before. */
  readonly body: NewBatch | null;
  /** Number of failed runs that had been tried again before. */
  readonly retried?: number;
}

export interface ProblemRecord {
  readonly version: 1;
  /** Identity of the problem for the service; Idempotency-Keys are made of it. */
  readonly id: string;
  /** The address of the service, or null for a local one. */
  readonly service: string | null;
  readonly project: NewProject;
  /** As in the plan of the newest call. */
  readonly code: string | null;
  /** Looks of the black box of the kept runs; absent in records of earlier releases, and if they are unknown. */
  readonly looks?: Looks;
  /** A kept run that was made once more, and not compared yet, or with another output. */
  readonly again?: MadeAgain;
  readonly modelId: number | null;
  readonly projectId: number | null;
  readonly trialId: number | null;
  /** Number of runs that the service designed. */
  readonly designed: number | null;
  /** SHA-256 of the known runs that the trial has. */
  readonly known: string | null;
  /** The newest last. */
  readonly batches: readonly BatchRecord[];
}

/** Another process works on the same problem. */
export class ProblemLockedError extends Error {
  override readonly name = 'ProblemLockedError';
}

export class ProblemFolder {
  /** Absolute; null when nothing is kept. */
  readonly path: string | null;

  constructor(folder: string | null) {
    this.path = folder === null ? null : path.resolve(folder);
  }

  async make(): Promise<void> {
    if (this.path === null) return;
    await mkdir(path.dirname(this.path), { recursive: true });
    await makeOwnFolder(this.path);
  }

  get journal(): string | null {
    return this.#at('runs.jsonl');
  }

  /** Undefined before the first call. */
  async read(): Promise<ProblemRecord | undefined> {
    const file = this.#at('problem.json');
    const text = file === null ? undefined : await readOwn(file);
    return text === undefined ? undefined : readRecord(text);
  }

  async write(record: ProblemRecord): Promise<void> {
    const file = this.#at('problem.json');
    if (file !== null) await replaceFile(file, `${JSON.stringify(record, null, 2)}\n`, { isDurable: true });
  }

  /** A record under which nothing exists yet; `more` are fields of the caller. */
  async begin({ project, code }: Plan, service: string | null, more: object = {}): Promise<ProblemRecord> {
    const begun: ProblemRecord = {
      ...more,
      version: 1,
      id: randomUUID(),
      service,
      project,
      code,
      modelId: null,
      projectId: null,
      trialId: null,
      designed: null,
      known: null,
      batches: [],
    };
    await this.write(begun);
    return begun;
  }

  /** Keeps what was begun earlier under other names. */
  async putAside(): Promise<void> {
    if (this.path === null) return;
    // The journal first: without it the record would begin with runs that are not its own.
    const files = ['runs.jsonl', 'problem.json'].map((name) => path.join(this.path!, name));
    for (let n = 1; ; n++) {
      const taken = await Promise.all(files.map((file) => exists(`${file}.${n}`)));
      if (taken.includes(true)) continue;
      for (const file of files) await rename(file, `${file}.${n}`).catch(ignoreMissing);
      return syncFolder(this.path);
    }
  }

  /** The records that were put aside, the oldest first. */
  async readEarlier(): Promise<readonly ProblemRecord[]> {
    const records: ProblemRecord[] = [];
    for (let n = 1; ; n++) {
      const file = this.#at(`problem.json.${n}`);
      const text = file === null ? undefined : await readOwn(file);
      if (text === undefined) return records;
      records.push(readRecord(text));
    }
  }

  /**
   * Until it is released or the process ends, however it ends.
   *
   * @param refuse  makes the error to throw, given a description of the process that works on it
   */
  async lock(
    refuse: (holder: string) => Error = (holder) => lockedBy(holder, this.path!),
  ): Promise<() => Promise<void>> {
    return this.path === null ? async () => undefined : lockFolder(this.path, refuse);
  }

  #at(name: string): string | null {
    return this.path === null ? null : path.join(this.path, name);
  }
}

function lockedBy(holder: string, folder: string): ProblemLockedError {
  return new ProblemLockedError(
    `Another ${holder} is already solving this problem, in ${folder}: wait for it to end, or stop it.`,
  );
}

/** Also what earlier versions wrote, in which a batch had one objective, or called its budget maximumRuns. */
export function readRecord(text: string): ProblemRecord {
  const { command, batches, ...record } = JSON.parse(text);
  return {
    trialId: null,
    designed: null,
    known: null,
    code: command ?? null,
    ...record,
    batches: batches.map(({ objective, maximumRuns, ...batch }: Record<string, unknown>) => ({
      objectives: [objective],
      budget: maximumRuns ?? null,
      ...batch,
    })),
  };
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

export function ignoreMissing(error: Error & { readonly code?: string }): void {
  if (error.code !== 'ENOENT') throw error;
}
