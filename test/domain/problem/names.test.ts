import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeViolation } from '../../../src/domain/errors.ts';
import { findNearestName } from '../../../src/domain/nearest-name.ts';
import { isWord, parseCondition, renameInputs } from '../../../src/domain/problem/expression.ts';
import { renameConstraints } from '../../../src/domain/problem/input-details.ts';
import type { InputSpace } from '../../../src/domain/problem/input-space.ts';
import {
  atNames,
  checkNames,
  inputNamesOf,
  type Labels,
  makeInputReader,
  makeListReader,
  makeOutputReader,
  NO_NAMES,
  outputNamesOf,
  toInputByName,
  toOutputByName,
} from '../../../src/domain/problem/names.ts';

const SPACE: InputSpace = {
  inputCount: 4,
  minimums: [0, 1, 0, 5],
  maximums: [100, 9, 1, 7],
  inputTypes: ['float', 'integer', 'boolean', 'category'],
  categories: [[], [], [], ['steel', 'copper', 'brass']],
};
const INPUT_NAMES = ['T', 'passes', 'baffled', 'material'];
const LABELS: Labels = { ...SPACE, inputNames: INPUT_NAMES, outputNames: ['duty', 'drop'] };
const readInput = () => makeInputReader(SPACE, INPUT_NAMES);
const STEEL = { T: 380, passes: 2, baffled: true, material: 'steel' };

describe('the nearest of known names', () => {
  it.each([
    ['kye', ['url', 'key'], 'key'],
    ['passse', ['passes', 'T'], 'passes'],
    ['Tc', ['Th', 'material'], 'Th'],
    ['q', ['y', 'Q'], 'Q'],
    ['inputNames', ['input_names'], 'input_names'],
    ['P', ['y', 'Q'], undefined],
    ['ab', ['ba'], 'ba'],
    ['abc', ['xyz', 'cab'], undefined],
  ])('of %s among %j is %s', (name, known, nearest) => {
    expect(findNearestName(name, known)).toBe(nearest);
  });
});

describe('an input by name', () => {
  it('becomes a vector in the order of the names, with categories by name or number and booleans as either', () => {
    const sent = { material: 'copper', T: -0, baffled: false, passes: 3 };
    expect(readInput()(sent, ['initialInput'])).toEqual({ vector: [0, 3, 0, 6], violations: [] });
    const byNumber = { ...STEEL, baffled: 1, material: 7 };
    expect(readInput()(byNumber, ['initialInput']).vector).toEqual([380, 2, 1, 7]);
  });

  it('has the names x1, x2, ... without names', () => {
    expect(inputNamesOf(2, null)).toEqual(['x1', 'x2']);
    expect(outputNamesOf(2, null)).toEqual(['y1', 'y2']);
    const { vector } = makeInputReader(SPACE, null)({ x2: 2, x1: 1, x4: 'brass', x3: 0 }, []);
    expect(vector).toEqual([1, 2, 0, 7]);
  });

  it.each([
    [{ ...STEEL, passes: undefined, pases: 2 }, 'initialInput.pases', 'is not an input; did you mean passes?'],
    [{ ...STEEL, zzzzzz: 2 }, 'initialInput.zzzzzz', 'is not an input; the inputs are T, passes, baffled, material.'],
    [{ T: 1, passes: 2, baffled: 1 }, 'initialInput.material', 'is required: send one value per input.'],
    [
      { ...STEEL, material: 'stel' },
      'initialInput.material',
      'must be one of steel, copper, brass; did you mean steel?',
    ],
    [{ ...STEEL, material: null }, 'initialInput.material', 'must be the name of a category or its number, is null.'],
    [{ ...STEEL, baffled: 'yes' }, 'initialInput.baffled', 'must be true, false, 0 or 1, is the string "yes".'],
    [{ ...STEEL, T: '380' }, 'initialInput.T', 'must be a finite number, is the string "380".'],
    [{ ...STEEL, T: true }, 'initialInput.T', 'must be a finite number, is true.'],
  ])('%j is refused where it is wrong', (sent, property, message) => {
    const given = JSON.parse(JSON.stringify(sent));
    const { violations } = readInput()(given, ['initialInput']);
    expect(violations).toEqual([makeViolation(['initialInput', property.split('.')[1]!], message)]);
  });

  it('does not take names of every object for those of inputs', () => {
    const { violations } = makeInputReader({ ...SPACE, inputCount: 1 }, ['toString'])({}, ['row']);
    expect(violations).toEqual([makeViolation(['row', 'toString'], 'is required: send one value per input.')]);
  });

  it('names a hundred violations at most, and compares few of them with the names', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${'a'.repeat(60)}${i}`);
    const wrong = Object.fromEntries(names.map((name) => [`${name}b`, 0]));
    const { violations } = makeOutputReader(1_000, names)(wrong, ['output']);
    expect(violations).toHaveLength(100);
    expect(violations.filter(({ message }) => message.includes('did you mean'))).toHaveLength(3);
  });

  it('shown and read again is the same', () => {
    const inputs = fc.tuple(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 1 }),
      fc.integer({ min: 5, max: 7 }),
    );
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(inputs, names, (input, inputNames) => {
        const shown = toInputByName({ ...LABELS, inputNames }, input)!;
        expect(Object.keys(shown)).toHaveLength(4);
        expect(makeInputReader(SPACE, inputNames)(shown, [])).toEqual({ vector: input, violations: [] });
      }),
    );
  });
});

describe('an answer by name', () => {
  it('shows categories by their names and booleans as true or false', () => {
    expect(toInputByName(LABELS, [380, 2, 1, 5])).toEqual(STEEL);
    expect(toOutputByName(LABELS, [1, 2])).toEqual({ duty: 1, drop: 2 });
  });

  it('is null without names, without a vector, and for a vector of another length', () => {
    expect(toInputByName(null, [1])).toBeNull();
    expect(toInputByName({ ...LABELS, inputNames: null }, [380, 2, 1, 5])).toBeNull();
    expect(toInputByName(LABELS, null)).toBeNull();
    expect(toOutputByName(LABELS, [1])).toBeNull();
  });
});

describe('a list by name', () => {
  it('leaves undefined where an entry is missing unless all must be there', () => {
    expect(makeListReader(['a', 'b'], 'output', { isComplete: false })({ b: 1 }, ['levels'])).toEqual({
      list: [undefined, 1],
      violations: [],
    });
  });
});

describe('names of a project', () => {
  it('are as many as inputs and outputs, and differ', () => {
    const names = {
      inputNames: ['a', 'b', 'a'],
      inputUnits: ['K'],
      outputNames: ['y', 'y'],
      outputUnits: null,
    };
    expect(checkNames(names, { inputCount: 3, outputCount: 3 }).map(({ property }) => property)).toEqual([
      'inputNames[2]',
      'inputUnits',
      'outputNames',
      'outputNames[1]',
    ]);
    expect(checkNames({ ...NO_NAMES, outputNames: ['a', 'b'] }, { inputCount: 1, outputCount: null })).toEqual([]);
  });

  it('replace positions in violations of lists that were sent by name', () => {
    const violations = [
      makeViolation(['initialInput', 1], 'a'),
      makeViolation(['inputCases', 1, 0], 'b'),
      makeViolation(['inputCases', 2, 0], 'c'),
      makeViolation(['levels', 0, 3], 'd'),
      makeViolation(['initialInput'], 'e'),
    ];
    const names = ['T/K', 'p'];
    const named = new Map(['/initialInput', '/inputCases/1', '/levels'].map((pointer) => [pointer, names]));
    expect(atNames(violations, named).map(({ pointer }) => pointer)).toEqual([
      '/initialInput/p',
      '/inputCases/1/T~1K',
      '/inputCases/2/0',
      '/levels/T~1K/3',
      '/initialInput',
    ]);
  });
});

describe('constraints of renamed inputs', () => {
  const inputs = (names: readonly string[]) => new Map(names.map((name, i) => [name, i]));

  it('mean the same, whatever the names', () => {
    const texts = ['a + 2*b <= 1e3', ' a^2/b>=-min(a, b)', 'exp (a) = exp', 'a=b', '1e1*e1 <= a'];
    const from = ['a', 'b', 'exp', 'e1'];
    const words = fc
      .uniqueArray(fc.stringMatching(/^[a-zA-Zäß_][a-zA-Z0-9_]{0,5}$/), { minLength: 4, maxLength: 4 })
      .filter((names) => names.every(isWord));
    fc.assert(
      fc.property(fc.constantFrom(...texts), words, (text, to) => {
        const { constraints, violations } = renameConstraints([text], from, to);
        expect(violations).toEqual([]);
        const renamed = parseCondition(constraints[0] as string, inputs(to));
        expect(renamed).toEqual(parseCondition(text, inputs(from)));
        expect(renamed.kind).toBe('parsed');
      }),
    );
  });

  it('swap their names together, and keep everything else as it was written', () => {
    const names = new Map([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    expect(renameInputs('  a+ b*max (a,2.5e3) <=b', names).text).toBe('  b+ a*max (b,2.5e3) <=a');
  });

  it('refuse a name that cannot stand in an expression, unless no constraint mentions the input', () => {
    const { violations } = renameConstraints(['a <= 1'], ['a', 'b'], ['wall time', 'feed rate']);
    expect(violations).toMatchObject([
      makeViolation(
        ['inputNames', 0],
        'must consist of letters, digits and _ and begin with no digit, because constraints[0] mentions the input.',
      ),
    ]);
  });

  it('keep a text about other names as it is', () => {
    const { constraints, violations } = renameConstraints(['c <= 1'], ['a', 'b'], ['d', 'e']);
    expect([constraints, violations]).toEqual([['c <= 1'], []]);
  });

  it('refuse names that make a constraint too long', () => {
    const text = `${Array.from({ length: 200 }, () => 'a').join('+')} <= 1`;
    const { violations } = renameConstraints([text], ['a'], ['a'.repeat(64)]);
    expect(violations).toMatchObject([
      makeViolation(['inputNames'], 'would make constraints[0] too long: has 13004 characters, may have 2000.'),
    ]);
  });
});
