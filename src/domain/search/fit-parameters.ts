/** Says in sentences what the data of a fit tell about its inputs. */
import type {
  BetterFit,
  FitCombination,
  FitInsight,
  FitParameter,
  VerifyingRun,
} from '../../optimizer/interface/insights.ts';

const DIGITS = 3;
/** Models off by less than this share of the rise at the end of an interval are no reason for a run. */
const WORTH_A_RUN = 0.1;

/**
 * One sentence per input that may vary, then one per combination, then the run that would tell most: the better fit that the models expect
 * before all others. @param names of the inputs
 */
export function describeFitInsight(found: FitInsight, names: readonly string[]): readonly string[] {
  const percent = `${Number((100 * found.confidence).toPrecision(3))} %`;
  return [
    ...found.parameters.flatMap((one, v) => (one.kind === 'held' ? [] : [describeParameter(one, names[v]!, percent)])),
    ...found.combinations.map((one) => describeCombination(one, names)),
    ...describeWorthwhileRun(found, names),
  ];
}

function describeWorthwhileRun(found: FitInsight, names: readonly string[]): readonly string[] {
  if (found.better) return [describeBetter(found.better, names)];
  const next = nextRunOf(found);
  return next === null ? [] : [describeNext(next, names)];
}

/** The run of which the models know least, if they might be off noticeably. */
function nextRunOf(found: FitInsight): VerifyingRun | null {
  const first = found.verify[0];
  return first !== undefined && isUnsure(found, first) ? first : null;
}

/** Whether the models may be off there by as much as matters for the interval, or expect a better fit. */
export function isUnsure({ threshold }: Pick<FitInsight, 'threshold'>, { increase, spread }: VerifyingRun): boolean {
  return spread > WORTH_A_RUN * threshold || increase < 0;
}

function describeParameter(
  { estimate, standardError, low, high, lowEnd, highEnd, kind }: FitParameter,
  name: string,
  percent: string,
): string {
  const error = standardError === null ? '' : `, standard error ${round(standardError)}`;
  const value = `${name}: ${round(estimate)}${error}`;
  if (lowEnd === 'not-known' && highEnd === 'not-known')
    return `${value}; the ends of its ${percent} interval are not known.`;
  if (lowEnd === 'not-known' || highEnd === 'not-known') {
    return `${value}; ${describeKnownEnd(low, high, percent)}; its ${lowEnd === 'not-known' ? 'lower' : 'upper'} end is not known.`;
  }
  switch (kind) {
    case 'identifiable':
      return `${value}; ${percent} interval ${round(low!)} to ${round(high!)}.`;
    case 'structurally-not': {
      const range =
        low === null && high === null ? 'within its bounds' : `from ${describeEnd(low)} to ${describeEnd(high)}`;
      return `${value}; the data do not determine it: every value ${range} fits as well once the others adapt.`;
    }
    default:
      if (low !== null && high !== null) {
        return `${value}; the data hardly determine it: its ${percent} interval, ${round(low)} to ${round(high)}, rests on an input that can make up for it and is not determined either.`;
      }
      if (low !== null)
        return `${value}; at least ${round(low)} with ${percent} confidence, and the data set no upper end.`;
      if (high !== null)
        return `${value}; at most ${round(high)} with ${percent} confidence, and the data set no lower end.`;
      return `${value}; the data hardly determine it: no value within its bounds is excluded.`;
  }
}

function describeEnd(end: number | null): string {
  return end === null ? 'its bound' : String(round(end));
}

function describeKnownEnd(low: number | null, high: number | null, percent: string): string {
  if (low !== null) return `at least ${round(low)} with ${percent} confidence`;
  if (high !== null) return `at most ${round(high)} with ${percent} confidence`;
  return 'no value up to one of its bounds is excluded';
}

function describeCombination({ loadings, kind, isKnown }: FitCombination, names: readonly string[]): string {
  const isSure = kind === 'structurally-not';
  const moved = names.filter((_, v) => loadings[v] !== 0);
  if (moved.length === 1 && !isKnown) return `How much the data depend on ${moved[0]} is not known.`;
  if (moved.length === 1) return `The data ${isSure ? 'do not depend' : 'hardly depend'} on ${moved[0]}.`;
  const list = new Intl.ListFormat('en-GB');
  const shares = loadings.flatMap((loading) =>
    loading === 0 ? [] : [`${loading > 0 ? '+' : '-'}${round(Math.abs(loading))}`],
  );
  if (!isKnown) {
    return `The runs do not tell ${list.format(moved)} apart: how much moving them together, by ${list.format(shares)} of their ranges, changes the fit is not known.`;
  }
  return `The data ${isSure ? 'do not tell' : 'hardly tell'} ${list.format(moved)} apart: moving them together, by ${list.format(shares)} of their ranges, ${isSure ? 'does not change' : 'hardly changes'} the fit.`;
}

function describeBetter({ at, decrease, spread }: BetterFit, names: readonly string[]): string {
  return `The models expect a better fit at ${describePoint(at, names)}: chi-square smaller by ${round(decrease)}, off by ${round(spread)} perhaps. Run it: until then the best run may be in a local minimum, and nothing is known of the intervals.`;
}

function describePoint(at: readonly number[], names: readonly string[]): string {
  return at.map((value, v) => `${names[v]} = ${round(value)}`).join(', ');
}

function describeNext({ input, side, at, spread }: VerifyingRun, names: readonly string[]): string {
  return `A run at ${describePoint(at, names)} would tell most: there the models may be off by ${round(spread)} in chi-square, which decides the ${side === 'low' ? 'lower' : 'upper'} end of ${names[input]}.`;
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
