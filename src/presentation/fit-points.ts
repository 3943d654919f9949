/** The data sets of a fit with the values of the best run, as charts show them. Needs no browser. */
import type { FitParameters } from '../../clients/typescript/src/index.ts';
import type { Head } from './columns.ts';
import { titled } from './formats.ts';
import { outputNames } from './values.ts';

/** Outputs with intervals, as the models predict them. */
export type Predicted = NonNullable<FitParameters['fit']>['outputs'];

export interface FitPoint {
  readonly name: string;
  readonly x: number;
  /** null at a gap. */
  readonly value: number | null;
  /** The standard error, stated or estimated; null where neither is known. */
  readonly error: number | null;
  /** Value of the best run; null without one. */
  readonly best: number | null;
  /** Best minus measured, in standard errors. */
  readonly residual: number | null;
  /** null also where it is not known. */
  readonly band: { readonly low: number; readonly high: number } | null;
}

export interface FitSet {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Whether the standard errors are estimated from the residuals. */
  readonly isEstimated: boolean;
  /** In order of x. */
  readonly points: readonly FitPoint[];
}

type Fitted = Pick<Head, 'fits' | 'fit' | 'objectives' | 'bestOutput' | 'outputNames' | 'outputUnits'>;

/** @param predicted  empty while it is not known */
export function fitSetsOf(head: Fitted, predicted: Predicted): readonly FitSet[] {
  const names = outputNames(head);
  const bands = new Map(
    predicted.flatMap(({ output, low, high, isKnown }) => (isKnown ? [[output, { low, high }] as const] : [])),
  );
  return (head.fits ?? []).map(({ name, outputs, sigma }, k) => {
    const scale = head.fit?.sets[k]?.scale ?? null;
    const places = placesOf(outputs.map((j) => names[j]!));
    const points = outputs.map((j, i) => {
      const value = head.objectives[j] ?? null;
      const error = value === null ? null : positive(errorAt(sigma, i, value) ?? scale);
      const best = head.bestOutput?.[j] ?? null;
      const residual = value === null || best === null || error === null ? null : (best - value) / error;
      return { name: names[j]!, x: places.xs[i]!, value, error, best, residual, band: bands.get(j) ?? null };
    });
    const title = name ?? places.title ?? (head.fits!.length > 1 ? `Data set ${k + 1}` : 'Data');
    return {
      title,
      xLabel: places.label,
      yLabel: titled(title, commonUnit(outputs.map((j) => head.outputUnits?.[j] ?? ''))),
      isEstimated: sigma === null,
      points: points.sort((a, b) => a.x - b.x),
    };
  });
}

type Sigma = NonNullable<Head['fits']>[number]['sigma'];

function errorAt(sigma: Sigma, i: number, value: number): number | null {
  if (sigma === null || typeof sigma === 'number') return sigma;
  return 'relative' in sigma ? sigma.relative * Math.abs(value) : (sigma[i] ?? null);
}

const positive = (value: number | null) => (value !== null && value > 0 ? value : null);

function commonUnit(units: readonly string[]): string {
  return units.every((unit) => unit === units[0]) ? (units[0] ?? '') : '';
}

/** A minus is a sign only where it does not join two words. */
const LAST_NUMBER = /^(.*?)((?<![\w)\]])[-−+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\d+\.?\d*(?:e[-+]?\d+)?)([^\d]*)$/i;

interface Places {
  readonly xs: readonly number[];
  readonly label: string;
  /** Common beginning of the names before their numbers. */
  readonly title: string | undefined;
}

/**
 * Positions of the values of a data set on its axis: at the last number in each name, such as 0.5 in "level at 0.5 s",
 * if the names differ in nothing else; otherwise by their order from 1.
 */
export function placesOf(names: readonly string[]): Places {
  const parts = names.map((name) => LAST_NUMBER.exec(name));
  const [, before = '', , after = ''] = parts[0] ?? [];
  const xs = parts.map((part) => Number(part?.[2]?.replace('−', '-') ?? Number.NaN));
  const isAlike = parts.every((part) => part?.[1] === before && part[3] === after);
  if (!isAlike || !xs.every(Number.isFinite) || new Set(xs).size < xs.length) {
    return { xs: names.map((_, i) => i + 1), label: 'Number of the value', title: undefined };
  }
  const title = before.replace(/[\s[({_.:=@-]+$/, '').replace(/\s+(at|after|for|with)$/, '');
  return { xs, label: `Number in “${before}…${after}”`, title: title === '' ? undefined : title };
}
