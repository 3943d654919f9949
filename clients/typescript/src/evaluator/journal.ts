/**
 * The journal of a problem: one line of JSON for each thing that happened to an evaluation, appended as it happens. What came of a
 * run is on disk before the service hears of it, so that no crash makes anybody run it again.
 *
 * A line that a crash tore off at the end counts as never written.
 */
import { AppendedFile } from './appended-file.ts';
import type { Evaluation } from './evaluation.ts';
import type { Claim, ClaimRequest, Lease, Reportable } from './evaluation-calls.ts';
import { readOwnBytes } from './own-files.ts';

/** The part of a line about the evaluation and the lease under which it happened. */
interface Line {
  readonly evaluation: number;
  readonly leaseToken: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Kind of a run. The start of a search and runs that verify its fit are no evaluations of the service: their number is 0. */
export type RunKind = OwnRunKind | 'case' | 'inverse';
export type OwnRunKind = 'start' | 'verify';

const OWN: readonly RunKind[] = ['start', 'verify'];

export function isOwn(kind: RunKind): kind is OwnRunKind {
  return OWN.includes(kind);
}

/** The part of a line about the run. */
interface Subject {
  readonly run: RunKind;
  /** Absent in journals of earlier releases, as is `iteration`. */
  readonly batchId?: number | undefined;
  readonly objectiveId: number | null;
  readonly inverseId: number | null;
  /** The number of a suggested run within its objective. */
  readonly iteration?: number | null | undefined;
  readonly caseNumber: number | null;
  /** The cheaper source that was run; absent or null for the black box itself. */
  readonly source?: string | null | undefined;
  readonly input: readonly number[];
}

export type JournalLine =
  | (Line & Subject & { readonly kind: 'claimed' })
  | (Line &
      Subject & {
        readonly kind: 'finished';
        readonly outcome: Reportable;
        readonly seconds: number;
        /** Set for a failed run that was tried again, outside any lease. */
        readonly isAgain?: true;
        /** The black box was not called: an earlier run at this input is reported for another evaluation. */
        readonly isKnown?: true;
      })
  /** Marks a failed run that is tried again. */
  | (Line & Subject & { readonly kind: 'retried' })
  /** `state` as the service answered: done, failed, or waiting for another try; `dropped` when it did not count. */
  | (Line & { readonly kind: 'reported'; readonly state: string })
  | (Line & { readonly kind: 'released' })
  /** Later than the run was reported. */
  | (Line & { readonly kind: 'corrected'; readonly outcome: Reportable })
  | AskedLine;

/** A claim that is about to be sent: repeated after a crash, it brings back what its lost answer leased. */
interface AskedLine extends ClaimRequest {
  readonly kind: 'asked';
  /** The request of the claim, as text; a claim of anything else under the same key would be refused. */
  readonly claim?: string;
  /** ISO 8601. */
  readonly at: string;
}

export type FinishedLine = Extract<JournalLine, { kind: 'finished' }>;
export type RetriedLine = Extract<JournalLine, { kind: 'retried' }>;
type CorrectedLine = Extract<JournalLine, { kind: 'corrected' }>;
export type ClaimedLine = Extract<JournalLine, { kind: 'claimed' }>;

export class JournalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JournalError';
  }
}

export class Journal {
  /** null: in memory only. */
  readonly #file: AppendedFile | null;
  readonly #lines: JournalLine[];
  /** Appends wait for each other, so that lines never mix. */
  #last: Promise<void> = Promise.resolve();

  private constructor(file: AppendedFile | null, lines: JournalLine[]) {
    this.#file = file;
    this.#lines = lines;
  }

  /**
   * Reads what is there and goes on after its last whole line. Throws JournalError when an earlier line is no journal, and FileError when
   * the disk is full.
   */
  static async open(file: string): Promise<Journal> {
    const bytes = (await readOwnBytes(file)) ?? Buffer.alloc(0);
    const end = bytes.lastIndexOf('\n') + 1;
    const lines = parseLines(bytes.toString('utf8', 0, end), file);
    return new Journal(await AppendedFile.open(file, end), lines);
  }

  /** Keeps nothing: for programs that may lose what ran. */
  static inMemory(): Journal {
    return new Journal(null, []);
  }

  get lines(): readonly JournalLine[] {
    return this.#lines;
  }

  /**
   * Before it is sent. Losing it costs waiting for a lease, as below. Throws FileError while the disk is full: results of what is
   * running can still be kept, and nothing more should begin.
   */
  async asked(request: ClaimRequest, claim: Claim): Promise<void> {
    await this.#file?.refuseFullDisk();
    await this.#append({ kind: 'asked', at: new Date().toISOString(), ...request, claim: JSON.stringify(claim) });
  }

  /** Not yet on disk: losing it costs waiting for a lease, not a run. */
  claimed(evaluation: Evaluation): Promise<void> {
    return this.#append({ kind: 'claimed', ...lineOf(evaluation), ...subjectOf(evaluation) });
  }

  /** On disk when it resolves. */
  async finished(
    evaluation: Evaluation,
    run: RunKind,
    outcome: Reportable,
    seconds: number,
    isKnown = false,
  ): Promise<void> {
    const line = { kind: 'finished', ...lineOf(evaluation), ...subjectOf(evaluation), run, outcome, seconds } as const;
    await this.#append(isKnown ? { ...line, isKnown } : line);
    await this.#file?.sync();
  }

  reported(evaluation: Lease, state: string): Promise<void> {
    return this.#append({ kind: 'reported', ...lineOf(evaluation), state });
  }

  released(evaluation: Lease): Promise<void> {
    return this.#append({ kind: 'released', ...lineOf(evaluation) });
  }

  /** On disk when it resolves. */
  async corrected(evaluation: Lease, outcome: Reportable): Promise<void> {
    await this.#append({ kind: 'corrected', ...lineOf(evaluation), outcome });
    await this.#file?.sync();
  }

  /** On disk when it resolves: these runs are tried again. */
  async retried(runs: readonly Run[]): Promise<void> {
    for (const run of runs) {
      const line = lineOf({ id: run.evaluation, leaseToken: '' });
      await this.#append({ kind: 'retried', ...line, ...subjectOf(run) });
    }
    await this.#file?.sync();
  }

  /** Records the outcome of a run that was tried again: on disk when it resolves. */
  async finishedAgain(retried: RetriedLine, outcome: Reportable, seconds: number): Promise<void> {
    const at = new Date().toISOString();
    await this.#append({ ...retried, kind: 'finished', at, outcome, seconds, isAgain: true });
    await this.#file?.sync();
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#file?.close();
  }

  #append(line: JournalLine): Promise<void> {
    const written = this.#last.then(async () => {
      this.#file?.append(`${JSON.stringify(line)}\n`);
      this.#lines.push(line);
    });
    this.#last = written.catch(() => undefined);
    return written;
  }
}

function lineOf({ id, leaseToken }: Lease): Line {
  return { evaluation: id, leaseToken, at: new Date().toISOString() };
}

function subjectOf({ kind, ...run }: Omit<Subject, 'run'> & { readonly kind: RunKind }): Subject {
  const { batchId, objectiveId, inverseId, iteration, caseNumber, source, input } = run;
  const of = source == null ? {} : { source };
  return { run: kind, batchId, objectiveId, inverseId, iteration, caseNumber, ...of, input };
}

const KINDS: readonly unknown[] = ['claimed', 'finished', 'reported', 'released', 'corrected', 'retried'];

function parseLines(text: string, file: string): JournalLine[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, i) => {
    const parsed = parseLine(line);
    if (parsed !== undefined) return parsed;
    throw new JournalError(
      `${file}:${i + 1} is not a line of a journal. Restore the file, or start over (--new of the commands, fresh of the client), which keeps it under another name.`,
    );
  });
}

function parseLine(line: string): JournalLine | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<JournalLine> | null;
    const isLine =
      parsed?.kind === 'asked'
        ? typeof parsed.key === 'string'
        : KINDS.includes(parsed?.kind) && typeof (parsed as Partial<Line>).leaseToken === 'string';
    return isLine ? (parsed as JournalLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Leases that the journal knows nothing final of: runs that ended without a report, and runs that were cut short. */
export function unsettledOf(lines: readonly JournalLine[]): {
  readonly unreported: readonly FinishedLine[];
  readonly interrupted: readonly ClaimedLine[];
} {
  const open = new Map<string, ClaimedLine | FinishedLine>();
  for (const line of lines) {
    if (line.kind === 'asked') continue;
    const key = `${line.evaluation} ${line.leaseToken}`;
    // Runs that were tried again are reported as corrections.
    if (line.kind === 'finished' && line.isAgain === true) continue;
    if (line.kind === 'claimed' || line.kind === 'finished') open.set(key, line);
    else open.delete(key);
  }
  const left = [...open.values()].filter((line) => !isOwn(line.run));
  return {
    unreported: left.filter((line) => line.kind === 'finished'),
    interrupted: left.filter((line) => line.kind === 'claimed'),
  };
}

/** The last request, whose answer may be lost; undefined when it claimed something else. */
export function lastAsked(lines: readonly JournalLine[], claim: Claim): ClaimRequest | undefined {
  const last = lines.filter((line) => line.kind === 'asked').at(-1);
  if (last === undefined || last.claim !== JSON.stringify(claim)) return undefined;
  return { key: last.key, limit: last.limit, wait: last.wait };
}

/** A run that is over for good: an output, or a failure that is not tried again. */
export interface Run extends Omit<Subject, 'run'> {
  /** From 1, as runs ended; one that was tried again keeps its place. For people see nameOf. */
  readonly order: number;
  readonly kind: RunKind;
  readonly evaluation: number;
  readonly outcome: Reportable;
  readonly seconds: number;
  readonly at: string;
}

export function runsOf(lines: readonly JournalLine[]): readonly Run[] {
  const failed = new Set(
    lines.flatMap((line) => (line.kind === 'reported' && line.state === 'failed' ? [leaseOf(line)] : [])),
  );
  const list = new RunList();
  for (const line of lines) {
    if (line.kind === 'retried') list.mark(line);
    else if (line.kind === 'corrected') list.correct(line);
    else if (line.kind === 'finished') {
      const isOver = line.outcome.kind === 'output' || !line.outcome.retryable || failed.has(leaseOf(line));
      if (isOver) list.add(line);
    }
  }
  return list.runs;
}

export type Place = number | string;

/** Runs in their order; one that was tried again takes the place of its failure. */
class RunList {
  readonly #runs = new Map<Place, Omit<Run, 'order'>>();
  /** Failed runs that are tried again, by their retry keys. */
  readonly #marked = new Map<Place, Place>();
  /** Evaluations that took the place of an earlier one. */
  readonly #moved = new Map<Place, Place>();
  /** Designed runs, by their inputs. */
  readonly #designed = new Map<string, Place>();

  get runs(): readonly Run[] {
    return [...this.#runs.values()].map((run, i) => ({ order: i + 1, ...run }));
  }

  mark(line: RetriedLine): void {
    this.#marked.set(retryKeyOf(line), this.#placeOf(line));
  }

  add(line: FinishedLine): void {
    const marked = this.#marked.get(retryKeyOf(line));
    const place = marked ?? this.#placeOf(line);
    if (marked === undefined && this.#runs.has(place)) return;
    const input = JSON.stringify(line.input);
    const earlier = line.isKnown === true ? this.#designed.get(input) : undefined;
    if (earlier !== undefined) {
      this.#moved.set(ownPlaceOf(line), earlier);
      return;
    }
    if (line.run === 'case') this.#designed.set(input, place);
    this.#runs.set(place, toRun(line));
    if (marked !== undefined) this.#moved.set(ownPlaceOf(line), marked);
    this.#marked.delete(retryKeyOf(line));
  }

  correct({ evaluation, outcome }: CorrectedLine): void {
    const place = this.#moved.get(evaluation) ?? evaluation;
    const known = this.#runs.get(place);
    if (known !== undefined) this.#runs.set(place, { ...known, outcome });
  }

  #placeOf(line: RetriedLine | FinishedLine): Place {
    return this.#moved.get(ownPlaceOf(line)) ?? ownPlaceOf(line);
  }
}

function ownPlaceOf({ run, evaluation, input }: RetriedLine | FinishedLine): Place {
  return isOwn(run) ? JSON.stringify(input) : evaluation;
}

/** Key that a run and its retry share: a designed run may be another evaluation then. */
export function retryKeyOf(line: Pick<RetriedLine, 'run' | 'evaluation' | 'input'>): Place {
  return line.run === 'inverse' ? line.evaluation : JSON.stringify(line.input);
}

function leaseOf({ evaluation, leaseToken }: Line): string {
  return `${evaluation} ${leaseToken}`;
}

function toRun({ evaluation, outcome, seconds, at, ...line }: FinishedLine): Omit<Run, 'order'> {
  const { run: kind, ...subject } = subjectOf({ ...line, kind: line.run });
  return { kind, evaluation, ...subject, outcome, seconds, at };
}

/** Results of earlier runs: of the same evaluation, and of the same input if it is a designed case. */
export class FinishedRuns {
  readonly #byEvaluation = new Map<number, Reportable>();
  readonly #byInput = new Map<string, Reportable>();

  constructor(lines: readonly JournalLine[]) {
    for (const line of lines) {
      if (line.kind === 'finished') this.add(line.evaluation, line.input, line.outcome);
      if (line.kind === 'retried') this.#drop(line);
    }
  }

  #drop({ evaluation, input }: RetriedLine): void {
    this.#byEvaluation.delete(evaluation);
    this.#byInput.delete(JSON.stringify(input));
  }

  add(evaluation: number, input: readonly number[], outcome: Reportable): void {
    if (outcome.kind === 'failure' && outcome.retryable) return;
    if (evaluation !== 0) this.#byEvaluation.set(evaluation, outcome);
    this.#byInput.set(JSON.stringify(input), outcome);
  }

  /** The known result, if the black box need not be called. */
  find({ id, kind, input }: Pick<Evaluation, 'id' | 'kind' | 'input'>): Reportable | undefined {
    return this.#byEvaluation.get(id) ?? (kind === 'case' ? this.#byInput.get(JSON.stringify(input)) : undefined);
  }
}
