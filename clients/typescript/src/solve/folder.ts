/**
 * What a problem leaves on this machine, in a folder of its own:
 *
 *   problem.json   what was created on the service, and for which definition
 *   runs.jsonl     the journal
 *   lock.*         the process that works on it
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, syncFolder } from '../evaluator/durable-files.ts';
import { makeOwnFolder, readOwn } from '../evaluator/own-files.ts';
import type { NewBatch, NewObjectives, NewProject } from '../generated/schemas.ts';
import { lockFolder } from './folder-lock.ts';

/** A batch that was created, or is about to be: its place in the list is part of its Idempotency-Key. */
export interface BatchRecord {
  readonly id: number | null;
  /** What it was created for. */
  readonly objective: NewObjectives;
  readonly budget: number | null;
  /** What was sent, so that it is sent again unchanged. */
  readonly body: NewBatch;
  /** How many failed runs had been tried again before. */
  readonly retried?: number;
}

export interface ProblemRecord {
  readonly version: 1;
  /** Identity of the problem for the service; Idempotency-Keys are made of it. */
  readonly id: string;
  /** The address of the service, or null for a local one. */
  readonly service: string | null;
  readonly project: NewProject;
  /** SHA-256 of the text of the black box. */
  readonly code: string | null;
  readonly modelId: number | null;
  readonly projectId: number | null;
  /** Runs that the service designed. */
  readonly designed: number | null;
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

  private constructor(folder: string | null) {
    this.path = folder;
  }

  /** @param folder  false keeps everything in memory */
  static async open(folder: string | false): Promise<ProblemFolder> {
    if (folder === false) return new ProblemFolder(null);
    const absolute = path.resolve(folder);
    await mkdir(path.dirname(absolute), { recursive: true });
    await makeOwnFolder(absolute);
    return new ProblemFolder(absolute);
  }

  get journal(): string | null {
    return this.#at('runs.jsonl');
  }

  /** Undefined before the first call. */
  async read(): Promise<ProblemRecord | undefined> {
    const file = this.#at('problem.json');
    if (file === null) return undefined;
    const text = await readOwn(file);
    return text === undefined ? undefined : (JSON.parse(text) as ProblemRecord);
  }

  async write(record: ProblemRecord): Promise<void> {
    const file = this.#at('problem.json');
    if (file !== null) await replaceFile(file, `${JSON.stringify(record, null, 2)}\n`, { isDurable: true });
  }

  /** A record under which nothing exists yet. */
  async begin(project: NewProject, service: string | null, code: string | null): Promise<ProblemRecord> {
    const begun: ProblemRecord = {
      version: 1,
      id: randomUUID(),
      service,
      project,
      code,
      modelId: null,
      projectId: null,
      designed: null,
      batches: [],
    };
    await this.write(begun);
    return begun;
  }

  /** Keeps what was begun earlier under other names. */
  async putAside(): Promise<void> {
    if (this.path === null) return;
    const suffix = `.${new Date().toISOString().replaceAll(':', '-')}`;
    // The journal first: without it the record would begin with runs that are not its own.
    for (const file of ['runs.jsonl', 'problem.json']) {
      const from = path.join(this.path, file);
      await rename(from, `${from}${suffix}`).catch(ignoreMissing);
    }
    await syncFolder(this.path);
  }

  /** Until it is released or the process ends, however it ends. Throws ProblemLockedError. */
  async lock(): Promise<() => Promise<void>> {
    if (this.path === null) return async () => undefined;
    const folder = this.path;
    return lockFolder(
      folder,
      (holder) =>
        new ProblemLockedError(`Another ${holder} solves this problem already, in ${folder}: wait for it or end it.`),
    );
  }

  #at(name: string): string | null {
    return this.path === null ? null : path.join(this.path, name);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
