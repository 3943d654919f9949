/** Several runs that satisfy everything and are apart from each other. The first of them stays optimal. */
import type { SolutionsOption } from '../several-solutions.ts';
import type { QuestRules } from './kind.ts';
import { ONE_RUN } from './one-run.ts';

export interface Several extends QuestRules {
  readonly kind: 'several';
  readonly option: SolutionsOption;
}

export function several(option: SolutionsOption): Several {
  const { count, apart } = option;
  return {
    ...ONE_RUN,
    kind: 'several',
    option,
    isEndInSight: false,
    apart,
    sought: count,
    eventOf: ({ before, isLast }) => {
      if (before + 1 >= count) return 'output-satisfied';
      return isLast ? 'last-solution-found' : 'solution-found';
    },
    beats: (challenger, holder) => !holder.isSatisfied && ONE_RUN.beats(challenger, holder),
    inWords: `, the first of ${count} distinct solutions`,
    missing: ` and fewer than ${count} distinct solutions have been found`,
  };
}
