/**
 * Works on uploaded workbooks, each in a guarded process of its own, so that nothing of a stranger's file is read in this one. Whatever such
 * a process answers is checked: the file may have taken it over.
 */
import { DomainError, makeViolation } from '../../domain/errors.ts';
import type { CheckedCells, ChosenCells, SheetCells } from '../../domain/workbooks/workbook.ts';
import { readChecked, readCopy, readOutcome, readSurvey, type SheetOutcome } from './answers.ts';
import { ProcessSlots } from './process-slots.ts';
import { NoPythonError, type PythonOptions, type SheetAnswer, SheetEndedError, SheetProcess } from './sheet-process.ts';

export interface WorkbooksOptions extends PythonOptions {
  /** Processes at a time, for all accounts. */
  readonly processes: number;
  /** Time limit of one calculation, and of reading a file. */
  readonly limitMs: number;
  /** Called with a reason for the operator to act, once per kind. */
  readonly onTrouble: (message: string) => void;
}

interface SheetFile {
  readonly accountId: number;
  readonly name: string;
  readonly content: Uint8Array;
}

/** Refusal of the file, or of what is asked of it. */
class WorkbookRefused extends DomainError {
  constructor(message: string) {
    super('VALIDATION_FAILED', message, { violations: [makeViolation([], message)] });
  }
}
/** This service cannot calculate workbooks now. */
class WorkbooksUnavailable extends DomainError {
  constructor(message: string) {
    super('WORKBOOKS_UNAVAILABLE', message);
  }
}

/** A workbook that batches calculate over and over. */
interface KeptWorkbook {
  readonly accountId: number;
  /** Its process calculates for nobody else. */
  readonly key: string;
  readonly cells: ChosenCells;
  load(): Promise<Omit<SheetFile, 'accountId'>>;
}

export interface Workbooks {
  /** Rejects with WorkbookRefused or WorkbooksUnavailable, as `check` and `copy` do. */
  survey(file: SheetFile): Promise<SheetCells>;
  check(file: SheetFile, cells: ChosenCells): Promise<CheckedCells>;
  /** The file with other values in cells. */
  copy(file: SheetFile, values: Readonly<Record<string, number>>): Promise<Uint8Array>;
  /** Rejects with WorkbooksUnavailable or the signal's reason alone. */
  run(
    kept: KeptWorkbook,
    values: Readonly<Record<string, number>>,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<SheetOutcome>;
  close(): void;
}

/** Starting Python and reading the file come on top of a calculation. */
const START_MS = 30_000;
/** A process whose batch has paused for so long goes; the next run starts it again. */
const IDLE_MS = 60_000;

interface Kept {
  readonly process: SheetProcess;
  release(): void;
  /** Resolves when the workbook is open. */
  readonly opened: Promise<void>;
  /** Set while it calculates nothing. */
  idle: NodeJS.Timeout | undefined;
}

export function makeWorkbooks(options: WorkbooksOptions): Workbooks {
  return new GuardedWorkbooks(options);
}

class GuardedWorkbooks implements Workbooks {
  readonly #options: WorkbooksOptions;
  readonly #slots: ProcessSlots;
  readonly #kept = new Map<string, Kept>();
  readonly #told = new Set<string>();

  constructor(options: WorkbooksOptions) {
    this.#options = options;
    this.#slots = new ProcessSlots(options.processes, () => this.#endIdle());
  }

  async survey(file: SheetFile): Promise<SheetCells> {
    return readSurvey(await this.#once(file, { do: 'survey' }));
  }

  async check(file: SheetFile, cells: ChosenCells): Promise<CheckedCells> {
    return readChecked(await this.#once(file, { do: 'open', ...cells }), cells);
  }

  async copy(file: SheetFile, values: Readonly<Record<string, number>>): Promise<Uint8Array> {
    return readCopy(await this.#once(file, { do: 'copy', values }));
  }

  async run(kept: KeptWorkbook, values: Readonly<Record<string, number>>, limitMs: number, signal: AbortSignal) {
    try {
      const held = await this.#keep(kept, signal);
      clearTimeout(held.idle);
      held.idle = undefined;
      await held.opened;
      return readOutcome(
        await held.process.ask({ do: 'run', values }, Math.min(limitMs, this.#options.limitMs), signal),
        kept.cells,
      );
    } catch (error) {
      if (error instanceof WorkbookRefused) return { kind: 'failure', reason: error.message } as const;
      if (error instanceof SheetEndedError)
        return { kind: 'failure', reason: `the workbook gave no result: ${error.message}` } as const;
      throw this.#toTrouble(error);
    } finally {
      this.#rest(kept.key);
    }
  }

  close(): void {
    this.#slots.close();
    for (const key of [...this.#kept.keys()]) this.#drop(key);
  }

  async #keep(wanted: KeptWorkbook, signal: AbortSignal): Promise<Kept> {
    const { key, accountId } = wanted;
    const found = () => (this.#kept.get(key)?.process.hasEnded === false ? this.#kept.get(key) : undefined);
    if (found() !== undefined) return found()!;
    this.#drop(key);
    const release = await this.#slots.enter(accountId, signal);
    const other = found();
    if (other !== undefined) {
      release();
      return other;
    }
    const process = new SheetProcess(this.#options);
    const opened = this.#open(process, wanted, signal).catch((error: unknown) => {
      process.end();
      throw error;
    });
    const kept: Kept = { process, release, opened, idle: undefined };
    this.#kept.set(key, kept);
    return kept;
  }

  async #open(process: SheetProcess, { cells, load }: KeptWorkbook, signal: AbortSignal): Promise<void> {
    await this.#load(process, await load(), signal);
    const answer = refuseFault(await process.ask({ do: 'open', ...cells }, this.#longest, signal));
    const [fault] = readChecked(answer, cells).faults;
    if (fault !== undefined) throw new WorkbookRefused(fault.message);
  }

  get #longest(): number {
    return this.#options.limitMs + START_MS;
  }

  async #load(
    process: SheetProcess,
    { name, content }: Omit<SheetFile, 'accountId'>,
    signal?: AbortSignal,
  ): Promise<void> {
    refuseFault(await process.ask({ name, content: Buffer.from(content).toString('base64') }, this.#longest, signal));
  }

  async #once(file: SheetFile, request: object): Promise<SheetAnswer> {
    const release = await this.#slots.enter(file.accountId);
    const process = new SheetProcess(this.#options);
    try {
      await this.#load(process, file);
      return refuseFault(await process.ask(request, this.#longest));
    } catch (error) {
      if (error instanceof SheetEndedError)
        throw new WorkbookRefused(`${file.name} cannot be calculated here: ${error.message}.`);
      throw this.#toTrouble(error);
    } finally {
      process.end();
      release();
    }
  }

  #toTrouble(error: unknown): unknown {
    if (!(error instanceof NoPythonError)) return error;
    if (!this.#told.has(error.message)) this.#options.onTrouble(error.message);
    this.#told.add(error.message);
    return new WorkbooksUnavailable(`This service cannot calculate workbooks yet. For its operator: ${error.message}`);
  }

  #rest(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.idle !== undefined) return;
    if (kept.process.hasEnded || this.#slots.isAwaited) this.#drop(key);
    else kept.idle = setTimeout(() => this.#drop(key), IDLE_MS);
  }

  /** One that calculates nothing now, for those who wait. */
  #endIdle(): void {
    const idle = [...this.#kept].find(([, kept]) => kept.idle !== undefined);
    if (idle !== undefined) this.#drop(idle[0]);
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    clearTimeout(kept.idle);
    kept.process.end();
    kept.release();
  }
}

function refuseFault(answer: SheetAnswer): SheetAnswer {
  const { fault } = answer;
  if (typeof fault === 'string') throw new WorkbookRefused(fault.slice(0, 1_000));
  return answer;
}
