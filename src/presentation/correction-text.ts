/** A correction in words. Needs no browser. */
import type { Correction } from '../../clients/typescript/src/index.ts';
import type { Head } from './columns.ts';
import { short, withUnit } from './formats.ts';
import { outputNames } from './values.ts';

/** More changed values are counted. */
const TOLD = 4;

type Facts = Pick<Head, 'outputNames' | 'outputUnits' | 'objectives'>;
type Change = Pick<Correction, 'old' | 'new'>;

/** Describes what it changed, for example "Power 16.25 → 1.625 kW". */
export function correctionText(facts: Facts, { old, new: now }: Change): string {
  if (old.excluded !== now.excluded) return now.excluded ? 'left out' : 'counts again';
  if (now.failed) return `marked as failed${now.failureReason ? `: ${now.failureReason}` : ''}`;
  if (old.output === null || now.output === null) return 'not failed: outputs entered';
  return changedValues(facts, old.output, now.output);
}

function changedValues(facts: Facts, old: readonly number[], now: readonly number[]): string {
  const names = outputNames(facts);
  const changed = names.flatMap((name, j) => {
    const [before, after] = [old[j]!, now[j]!];
    return before === after ? [] : [`${name} ${short(before)} → ${withUnit(short(after), facts.outputUnits?.[j])}`];
  });
  if (changed.length === 0) return 'the same outputs entered again';
  const rest = changed.length > TOLD ? ` and ${changed.length - TOLD} more` : '';
  return `${changed.slice(0, TOLD).join(', ')}${rest}`;
}
