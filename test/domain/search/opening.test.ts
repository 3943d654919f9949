import { describe, expect, it, test } from 'vitest';
import { goesOn, isHeldBack, planOpening } from '../../../src/domain/search/opening.ts';

const objective = {
  parallelism: 4,
  holdBack: true,
  attemptCount: 10,
  maximumAttempts: 500,
  objectives: [1, 2],
  objectiveTypes: ['value', 'lessthan'],
  completedCount: 7,
  options: null,
  nothingNewAt: null,
} as const;

const awaited = { isSuggested: true, chance: 0.5 };
const likely = { isSuggested: true, chance: 0.9 };
const computing = { isSuggested: false, chance: null };

describe('how many inverses are opened', () => {
  test.each([
    ['all that parallelism leaves', {}, [awaited], 0, undefined, 3],
    ['no more than asked for', {}, [awaited], 0, 2, 2],
    ['those asked for before count', {}, [awaited, computing], 1, undefined, 1],
    ['nothing while as many are open', {}, [awaited, awaited, awaited, computing], 0, 1, 'parallelism'],
    [
      'nothing while more are open than a lower parallelism says',
      { parallelism: 1 },
      [awaited, awaited],
      0,
      1,
      'parallelism',
    ],
    ['no more than attempts are left', { attemptCount: 497 }, [computing], 1, undefined, 1],
    ['nothing when the one being computed is the last attempt', { attemptCount: 499 }, [computing], 0, 1, 'attempts'],
    ['one more after the last attempt where that decides', { attemptCount: 500, options: { confirm: 2 } }, [], 0, 9, 1],
    [
      'nothing more while an output is missing',
      { attemptCount: 500, options: { confirm: 2 } },
      [awaited],
      0,
      1,
      'attempts',
    ],
    ['nothing while one is likely', {}, [awaited, likely], 0, 1, 'held-back'],
    ['more beside a likely one where that is not wanted', { holdBack: false }, [likely], 0, 1, 1],
    ['more where something is minimized', { objectiveTypes: ['minimize', 'value'] }, [likely], 0, 1, 1],
    ['nothing until the next output where nothing new was found', { nothingNewAt: 7 }, [awaited], 0, 1, 'nothing-new'],
    ['more after that output', { nothingNewAt: 6 }, [awaited], 0, 1, 1],
    ['the next one where nothing is open', { nothingNewAt: 7 }, [], 0, undefined, 4],
  ] as const)('%s', (_, change, open, asked, count, expected) => {
    const plan = planOpening({ ...objective, ...change }, open, asked, count);
    if (typeof expected === 'number') expect(plan).toEqual({ granted: expected, whyNone: null });
    else expect(plan).toEqual({ granted: 0, whyNone: expected });
  });

  it('The worker goes on unless the input that it stored is likely to succeed', () => {
    expect(goesOn(objective, [awaited, awaited])).toBe(true);
    expect(goesOn(objective, [awaited, likely])).toBe(false);
    expect(isHeldBack(objective, [computing, awaited])).toBe(false);
  });
});
