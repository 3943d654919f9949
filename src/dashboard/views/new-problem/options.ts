/** Search options beyond the targets, as in requests. Needs no browser. */
import { SEARCH_OPTIONS, type SearchOption } from '../../../../clients/typescript/src/generated/objective-fields.ts';
import type { NewObjectives } from '../../../../clients/typescript/src/index.ts';
import type { Draft } from './draft.ts';

type Asked = Pick<NewObjectives, SearchOption>;

/** Removes all options, for an objective that continues one with options. */
export const NOTHING_ASKED = Object.fromEntries(SEARCH_OPTIONS.map((option) => [option, null])) as {
  readonly [Option in SearchOption]: null;
};

/** Whether the field at the path is one of the options. */
export function isOption(path: string): boolean {
  return /^options\/|\/(weight|priority|deviation|tolerance)$/.test(path);
}

interface Reader {
  readonly faults: Record<string, string>;
  number(path: string, text: string): number;
  /** null if there is no text. */
  optional(path: string, text: string): number | null;
}

type Described = Pick<Draft, 'inputs' | 'outputs' | 'options'>;

/** Options that are not used are left out. */
export function readOptions({ inputs, outputs, options }: Described, { faults, number, optional }: Reader): Asked {
  const { noise, sure, confirm, confidence, confidenceOf } = options;
  const read = (name: 'patience' | 'improvementBelow' | 'maximumRuns' | 'apart' | 'aim' | 'robustRuns') =>
    optional(`options/${name}`, options[name]);
  const weights = outputs.map(({ weight }, j) => optional(`outputs/${j}/weight`, weight));
  const tolerances = inputs.map(({ tolerance }, i) => optional(`inputs/${i}/tolerance`, tolerance));
  const solutionCount = optional('options/solutionCount', options.solutionCount);
  const [apart, robustRuns] = [read('apart'), read('robustRuns')];
  const aim = options.aimsAtSurest || read('aim');
  return {
    ...(noise === 'estimate' && { noise }),
    ...(noise === 'stated' && {
      noise: { standardDeviations: outputs.map(({ deviation }, j) => number(`outputs/${j}/deviation`, deviation)) },
    }),
    ...(sure === 'mean' && { confirm: number('options/confirm', confirm) }),
    ...(sure === 'probability' && { confidence: number('options/confidence', confidence) }),
    ...(sure === 'probability' && confidenceOf === 'mean' && { confidenceOf }),
    ...(weights.some((weight) => weight !== null) && { weights }),
    ...(outputs.some(({ priority }) => priority !== '1') && {
      priorities: outputs.map(({ priority }) => Number(priority)),
    }),
    ...readStop(),
    ...(solutionCount !== null && { solutions: { count: solutionCount, apart } }),
    ...(tolerances.some((tolerance) => tolerance !== null) && {
      inputTolerances: { kind: options.toleranceKind, in: options.toleranceIn, values: tolerances },
    }),
    ...(aim !== null && { aimAtRobustness: aim }),
    ...(robustRuns !== null && { robustRuns }),
  };

  function readStop(): Pick<Asked, 'stop'> {
    if (!endsEarly(options)) return {};
    const until = options.until === '' ? null : new Date(options.until);
    const isRight = until === null || !Number.isNaN(until.getTime());
    if (!isRight) faults['options/until'] = 'Write a date and a time.';
    const [patience, improvementBelow, maximumRuns] = [read('patience'), read('improvementBelow'), read('maximumRuns')];
    return {
      stop: { patience, improvementBelow, until: isRight ? (until?.toISOString() ?? null) : null, maximumRuns },
    };
  }
}

/** Whether there is a stop rule. */
function endsEarly({ endsByEvidence, ...options }: Draft['options']): boolean {
  return endsByEvidence || hasStopRule(options);
}

/** Whether there is a stop rule with a number or a time. The objective then also ends by evidence. */
export function hasStopRule(options: Omit<Draft['options'], 'endsByEvidence'>): boolean {
  const { patience, improvementBelow, until, maximumRuns } = options;
  return [patience, improvementBelow, until, maximumRuns].some((text) => text.trim() !== '');
}
