/** Tests what programs read of the inputs: the look before any run. */
import { describe, expect, it, test } from 'vitest';
import { parseArgument, parseFileTemplate } from '../../src/runner/files/template.ts';
import { tryWriting } from '../../src/runner/files/writing.ts';
import type { InputDefinition } from '../../src/runner/problem.ts';
import { trialOf } from '../../src/runner/trial-values.ts';

const FLOAT: InputDefinition = {
  name: 'k',
  unit: '',
  type: 'float',
  minimum: 0,
  maximum: 1,
  categories: [],
  scale: null,
  step: null,
  levels: null,
  likelyMinimum: null,
  likelyMaximum: null,
};

function look(placeholder: string, input: Partial<InputDefinition>): readonly string[] {
  return tryWriting(
    parseFileTemplate(placeholder, 'in.tmpl').places!(['k']),
    [trialOf({ ...FLOAT, ...input })],
    '--template ',
  );
}

describe('a value that does not fit its width', () => {
  test.each([
    [
      '{{k:8.3f}}',
      { minimum: 100, maximum: 210000 },
      'k:8.3f: 10014.939 takes 9 characters, but the width is 8; write k:8.1f.',
    ],
    [
      '{{k:8.3f}}',
      { minimum: -2000, maximum: 100 },
      'k:8.3f: -2000.000 takes 9 characters, but the width is 8; write k:8.2f.',
    ],
    [
      '{{k:8.2e}}',
      { minimum: -1, maximum: 1 },
      'k:8.2e: -1.00e+00 takes 9 characters, but the width is 8; write k:8.1e.',
    ],
    ['{{k:8}}', { minimum: 1, maximum: 2 }, 'characters, but the width is 8; write k:8.7g.'],
    [
      '{{k:8g}}',
      { minimum: 1e-7, maximum: 1e-3, scale: 'log' as const },
      'characters, but the width is 8; write k:8.3g.',
    ],
    [
      '{{k:3d}}',
      { type: 'integer' as const, minimum: 1, maximum: 2000 },
      '1002 takes 4 characters, but the width is 3; widen it.',
    ],
    [
      '{{k:4s}}',
      { type: 'category' as const, categories: ['S235', 'S355J2'] },
      'S355J2 takes 6 characters, but the width is 4; widen it.',
    ],
    ['{{k:d}}', { minimum: 1, maximum: 2 }, 'is not a whole number; write k:.'],
    ['{{k:4}}', { type: 'boolean' as const }, undefined],
    ['{{k:8.2f}}', { minimum: -99999, maximum: 1 }, '-99999.00 takes 9 characters, but the width is 8; write k:8.1f.'],
  ])('%s', (placeholder, input, message) => {
    if (message === undefined) expect(look(placeholder, input)).toEqual([]);
    else expect(() => look(placeholder, input)).toThrow(message);
  });

  it('is refused in a run, also where rounding makes it wider', () => {
    const template = parseFileTemplate('MAT1{{k:8.3f}}{{n:3d}}', 'in.tmpl');
    expect(template.render({ k: -999.9994, n: 7 })).toBe('MAT1-999.999  7');
    expect(() => template.render({ k: -999.9996, n: 7 })).toThrow(
      'in.tmpl: k:8.3f: -1000.000 takes 9 characters, but the width is 8',
    );
    expect(() => template.render({ k: 1, n: -100 })).toThrow('in.tmpl: n:3d: -100 takes 4 characters');
    expect(() => parseArgument('--k={k:3d}', 'Argument').render({ k: 1000 })).toThrow('1000 takes 4 characters');
  });
});

describe('values that are written alike, or read back outside of the bounds', () => {
  const log = { minimum: 1e-6, maximum: 1e-3 };
  test.each([
    [
      '{{k:.3f}}',
      log,
      'in.tmpl: k:.3f writes 0.000001 and 0.00000104407 both as 0.000 (2 texts for 101 values from bound to bound), and ' +
        '0.000001 as 0.000, which is below the bound: write k:.7f.',
    ],
    ['{{k:8.3f}}', log, 'write k:8.3g.'],
    ['{{k:.0f}}', { minimum: 0, maximum: 9.5 }, ', and 9.5 as 10, which is above the bound: write k:.2f.'],
    ['{{k:.2f}}', { minimum: 0.004, maximum: 1 }, 'writes 0.004 as 0.00, which is below the bound: write k:.3f.'],
    ['{{k:.1f}}', { levels: [0.1, 0.14, 0.2] }, 'in.tmpl: k:.1f writes 0.1 and 0.14 both as 0.1: write k:.2f.'],
    ['{{k:.1f}}', { step: 0.05, maximum: 0.2 }, 'writes 0.05 and 0.1 both as 0.1: write k:.2f.'],
    ['{{k:.3g}}', { type: 'integer' as const, minimum: 1, maximum: 1e6 }, 'both as 2.01e+03: write k:d.'],
    [
      '{{k:.1}}',
      { type: 'category' as const, categories: ['S235', 'S355'] },
      'writes S235 and S355 both as S: write k:s.',
    ],
    ['{{k:.4f}}', { minimum: -1 / 3, maximum: 1 / 3 }, undefined],
    ['{{k:.1f}}', { minimum: 0, maximum: 1 }, '(11 texts for 101 values from bound to bound): write k:.2f.'],
    ['{{k:.3f}}', { minimum: 0, maximum: 2 / 3 }, 'writes 0.666667 as 0.667, which is above the bound'],
    ['{{k:.1f}}', { minimum: -5, maximum: 5 }, undefined],
    ['{{k:.6e}} {{k:.4g}} {{k}}', log, undefined],
    ['{{k:08.4f}}', { minimum: -10, maximum: 10 }, undefined],
    ['{{k:d}}', { type: 'integer' as const, minimum: -1e9, maximum: 1e9 }, undefined],
    ['{{k}}', { minimum: 1e-300, maximum: 1e300, scale: 'log' as const }, undefined],
  ])('%s', (placeholder, input, sentence) => {
    const said = look(placeholder, input);
    expect(said.join('\n')).toEqual(sentence === undefined ? '' : expect.stringContaining(sentence));
  });
});
