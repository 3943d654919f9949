/** The journal of an evaluator: a line of JSON for each event, appended as it happens. */
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

interface Event {
  /** Unix milliseconds. */
  readonly at: number;
  readonly evaluator: string;
  readonly id: number;
  readonly leaseToken: string;
}

export interface Claimed extends Event {
  readonly event: 'claimed';
  readonly projectId: number;
  readonly input: readonly number[];
  readonly leaseExpiresAt: number;
}

/** A heartbeat was answered. */
interface Kept extends Event {
  readonly event: 'kept';
  readonly leaseExpiresAt: number;
}

/** Written before the request is sent, since its sender may die before the answer. */
export interface Reports extends Event {
  readonly event: 'reports';
  readonly what: 'output' | 'failure' | 'retryable failure' | 'release';
  readonly output: readonly number[] | null;
}

interface Answered extends Event {
  readonly event: 'answered';
  readonly what: Reports['what'];
  readonly status: number;
  /** The state of the evaluation after a 200, else the code of the problem. */
  readonly state: string;
}

/** The input kills its evaluator now. */
interface Dies extends Event {
  readonly event: 'dies';
}

export type JournalLine = Claimed | Kept | Reports | Answered | Dies;

/** A claim found nothing, however long it waited. */
export interface Idle {
  readonly event: 'idle';
  readonly at: number;
  readonly evaluator: string;
}

const PREFIX = 'evaluator-';

export function journalFile(folder: string, index: number): string {
  return path.join(folder, `${PREFIX}${index}.jsonl`);
}

/** One write for each line, which a SIGKILL cannot cut. */
export function append(file: string, line: JournalLine | Idle): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

export interface Journals {
  /** Lines of all evaluators, by time. */
  readonly lines: readonly JournalLine[];
  /** Times at which a claim found nothing, ascending. */
  readonly idleTimes: readonly number[];
}

export async function readJournals(folder: string): Promise<Journals> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX) && name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  const read = lines.map((line) => JSON.parse(line) as JournalLine | Idle).sort((a, b) => a.at - b.at);
  return {
    lines: read.filter((line) => line.event !== 'idle'),
    idleTimes: read.flatMap((line) => (line.event === 'idle' ? [line.at] : [])),
  };
}
