/** Query parameters that are whole numbers. */
import { makeViolation, type Violation } from '../../domain/errors.ts';

export interface WholeNumberSpec {
  readonly description: string;
  readonly minimum: number;
  readonly maximum: number;
  /** null: a parameter that is left out says nothing. */
  readonly default: number | null;
}

interface ParsedNumbers {
  readonly numbers: Readonly<Record<string, number | null>>;
  readonly violations: readonly Violation[];
}

const WHOLE = /^(?:0|[1-9]\d{0,15})$/;

/** Anything but a whole number in plain decimal notation within its limits, or a parameter given twice, is refused. */
export function parseWholeNumbers(
  specs: Readonly<Record<string, WholeNumberSpec>>,
  query: Readonly<Record<string, unknown>>,
): ParsedNumbers {
  const numbers: Record<string, number | null> = {};
  const violations: Violation[] = [];
  for (const [name, { minimum, maximum, default: value }] of Object.entries(specs)) {
    const sent = query[name];
    const number = typeof sent === 'string' && WHOLE.test(sent) ? Number(sent) : Number.NaN;
    if (sent === undefined) numbers[name] = value;
    else if (number >= minimum && number <= maximum) numbers[name] = number;
    else violations.push(makeViolation([name], `must be a whole number from ${minimum} to ${maximum}.`));
  }
  return { numbers, violations };
}
