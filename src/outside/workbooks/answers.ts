/** The answers of a guarded process, which are not trusted: what has another form is a SheetEndedError. */
import type { CellFault, CheckedCells, ChosenCells, SheetCell, SheetCells } from '../../domain/workbooks/workbook.ts';
import { type SheetAnswer, SheetEndedError } from './sheet-process.ts';

export type SheetOutcome =
  | { readonly kind: 'output'; readonly outputs: Readonly<Record<string, number>> }
  | { readonly kind: 'failure'; readonly reason: string };

const LONGEST_TEXT = 500;
const MOST_CELLS = 1_000;
const MOST_MESSAGES = 200;

export function readSurvey(answer: SheetAnswer): SheetCells {
  const cells = (side: unknown) => listOf(side).slice(0, MOST_CELLS).map(toCell);
  return { inputs: cells(answer['inputs']), outputs: cells(answer['outputs']) };
}

function toCell(value: unknown): SheetCell {
  const { cell, name, label, value: number } = fieldsOf(value);
  return {
    cell: textOf(cell),
    name: textOrNull(name),
    label: textOrNull(label),
    value: isNumber(number) ? number : null,
  };
}

export function readChecked(answer: SheetAnswer, { outputs }: ChosenCells): CheckedCells {
  const present = fieldsOf(answer['outputs']);
  return {
    faults: listOf(answer['faults']).slice(0, MOST_MESSAGES).map(toFault),
    notes: listOf(answer['notes']).slice(0, MOST_MESSAGES).map(textOf),
    outputs: Object.fromEntries(
      Object.keys(outputs).flatMap((name) => {
        const value = present[name];
        return isNumber(value) || typeof value === 'string'
          ? [[name, typeof value === 'string' ? textOf(value) : value]]
          : [];
      }),
    ),
  };
}

function toFault(value: unknown): CellFault {
  const { side, name, message } = fieldsOf(value);
  return { side: side === 'inputs' ? 'inputs' : 'outputs', name: textOf(name), message: textOf(message) };
}

export function readOutcome(answer: SheetAnswer, { outputs }: ChosenCells): SheetOutcome {
  const reason = answer['failed'] ?? answer['fault'];
  if (reason !== undefined) return { kind: 'failure', reason: textOf(reason) };
  const found = fieldsOf(answer['outputs']);
  const entries = Object.keys(outputs).map((name) => [name, found[name]] as const);
  if (entries.every((entry): entry is [string, number] => isNumber(entry[1]))) {
    return { kind: 'output', outputs: Object.fromEntries(entries) };
  }
  throw unreadable();
}

export function readCopy(answer: SheetAnswer): Uint8Array {
  const { content } = answer;
  if (typeof content !== 'string') throw unreadable();
  return Buffer.from(content, 'base64');
}

function unreadable(): SheetEndedError {
  return new SheetEndedError('its answer has another form');
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unreadable();
  return value;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw unreadable();
  return value as Readonly<Record<string, unknown>>;
}

/** The database stores no NUL and no half of a surrogate pair. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') throw unreadable();
  return value.replaceAll('\u0000', '').slice(0, LONGEST_TEXT).toWellFormed();
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : textOf(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
