/** Whether an input satisfies conditions: the check before anything is handed out, independent of the search. */
import { type Condition, isConditionMet } from '../../numbers/conditions.ts';
import type { InputSpace } from './input-space.ts';

/** Whether the input, length n in natural units, satisfies every condition up to roundings. */
export function areConditionsMet(
  { minimums, maximums }: Pick<InputSpace, 'minimums' | 'maximums'>,
  conditions: readonly Condition[],
  input: ArrayLike<number>,
): boolean {
  const box = minimums.map((minimum, v) => ({ minimum, maximum: maximums[v]! }));
  return conditions.every((condition) => isConditionMet(condition, input, box));
}
