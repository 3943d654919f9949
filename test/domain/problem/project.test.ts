import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type InputSpace, InputType } from '../../../src/domain/problem/input-space.ts';
import { checkInput, checkInputSpace, parseInputType, toCategoryLists } from '../../../src/domain/problem/project.ts';
import { inputOf, inputSpace } from '../../support/arbitraries.ts';

const { float, integer, boolean, category } = InputType;

/** One variable of every type. */
const space: InputSpace = {
  inputCount: 4,
  minimums: [-1.5, 0, 0, 1],
  maximums: [2.5, 10, 1, 3],
  inputTypes: [float, integer, boolean, category],
  categories: [[], [], [], ['steel', 'brass', 'zinc']],
};

function pointersOf(change: Partial<InputSpace>): string[] {
  return checkInputSpace({ ...space, ...change }).map((violation) => violation.pointer);
}

const replaced = <T>(values: readonly T[], at: number, value: T): T[] => values.with(at, value);

describe('parseInputType', () => {
  test.each([
    ['float', float],
    ['FLOAT', float],
    ['CONTINUOUS', float],
    ['Continuous', float],
    ['integer', integer],
    ['INTEGER', integer],
    ['boolean', boolean],
    ['LOGICAL', boolean],
    ['category', category],
    ['CATEGORICAL', category],
  ])('The word %s means %s', (word, expected) => {
    expect(parseInputType(word)).toBe(expected);
  });

  // constructor and __proto__ used to be found on the prototype of the table.
  test.each(['', ' float', 'double', 'int', 'bool', 'constructor', '__proto__', 'hasOwnProperty', 'toString'])(
    '%j is not an input type',
    (word) => {
      expect(parseInputType(word)).toBeUndefined();
    },
  );

  it('Every type is recognized by its own name in any case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(InputType)), fc.infiniteStream(fc.boolean()), (type, upper) => {
        const word = [...type].map((letter) => (upper.next().value ? letter.toUpperCase() : letter)).join('');
        expect(parseInputType(word)).toBe(type);
      }),
    );
  });
});

describe('toCategoryLists', () => {
  const mixed = [float, category, integer];

  test.each([
    ['one list per input', [[], ['a', 'b'], []], mixed, [[], ['a', 'b'], []]],
    ['null for an input without names', [null, ['a', 'b'], null], mixed, [[], ['a', 'b'], []]],
    ['a flat list for the only category', ['a', 'b'], mixed, [[], ['a', 'b'], []]],
    ['nothing where nothing is a category', [], [float, integer], [[], []]],
    ['lists for two categories', [['a'], ['b', 'c']], [category, category], [['a'], ['b', 'c']]],
    ['as many flat names as inputs', ['a', 'b', 'c'], mixed, [[], ['a', 'b', 'c'], []]],
  ])('Categories may be sent as %s', (_, categories, inputTypes, expected) => {
    expect(toCategoryLists(categories, inputTypes)).toEqual(expected);
  });

  test.each([
    ['a flat list for two categories', ['a', 'b'], [category, category]],
    ['a flat list for no category', ['a', 'b'], [float, float]],
    ['too few lists', [[], ['a']], mixed],
    ['too many lists', [[], ['a'], [], []], mixed],
    ['names and lists together', ['a', ['b'], []], mixed],
    ['nothing where two inputs are categories', [], [category, category]],
  ])('Categories must not be sent as %s', (_, categories, inputTypes) => {
    expect(toCategoryLists(categories, inputTypes)).toBeUndefined();
  });

  it('The lists of a valid space stay unchanged', () => {
    fc.assert(
      fc.property(inputSpace, ({ categories, inputTypes }) => {
        expect(toCategoryLists(categories, inputTypes)).toEqual(categories);
      }),
    );
  });

  it('An empty list for the only category is refused by the check of its names', () => {
    const categories = toCategoryLists([], mixed)!;
    expect(categories).toEqual([[], [], []]);
    const bare = { inputCount: 3, minimums: [0, 1, 0], maximums: [1, 2, 1], inputTypes: mixed, categories };
    expect(checkInputSpace(bare).map(({ pointer }) => pointer)).toEqual(['/categories/1']);
  });
});

describe('checkInputSpace', () => {
  it('A space with every type is accepted', () => {
    expect(checkInputSpace(space)).toEqual([]);
  });

  it('Every valid space is accepted', () => {
    fc.assert(
      fc.property(inputSpace, (valid) => {
        expect(checkInputSpace(valid)).toEqual([]);
      }),
    );
  });

  test.each([
    ['minimums too short', { minimums: [0, 0, 0] }, ['/minimums']],
    ['maximums too long', { maximums: [2.5, 10, 1, 3, 4] }, ['/maximums']],
    ['types missing', { inputTypes: [] }, ['/inputTypes']],
    ['categories missing', { categories: [] }, ['/categories']],
    ['several lengths wrong', { minimums: [], maximums: [] }, ['/minimums', '/maximums']],
    ['another input count', { inputCount: 5 }, ['/minimums', '/maximums', '/inputTypes', '/categories']],
    ['reversed bounds', { maximums: replaced(space.maximums, 0, -2) }, ['/maximums/0']],
    ['a NaN bound', { maximums: replaced(space.maximums, 0, Number.NaN) }, ['/maximums/0']],
    ['a fractional integer minimum', { minimums: replaced(space.minimums, 1, 0.5) }, ['/minimums/1']],
    ['a fractional integer maximum', { maximums: replaced(space.maximums, 1, 9.5) }, ['/maximums/1']],
    ['an integer beyond 2^53', { maximums: replaced(space.maximums, 1, 2 ** 53) }, ['/maximums/1']],
    ['a boolean from 1 to 2', { minimums: [-1.5, 0, 1, 1], maximums: [2.5, 10, 2, 3] }, ['/minimums/2']],
    ['a boolean from 0 to 2', { maximums: replaced(space.maximums, 2, 2) }, ['/minimums/2']],
    ['one name too few', { categories: [[], [], [], ['steel', 'brass']] }, ['/categories/3']],
    ['one name too many', { categories: [[], [], [], ['a', 'b', 'c', 'd']] }, ['/categories/3']],
    ['a repeated name', { categories: [[], [], [], ['a', 'b', 'a']] }, ['/categories/3']],
    ['names for a float', { categories: [['a'], [], [], ['a', 'b', 'c']] }, ['/categories/0']],
    ['a fractional category bound', { minimums: replaced(space.minimums, 3, 0.5) }, ['/minimums/3']],
  ] as const)('A space with %s is refused', (_, change, expected) => {
    expect(pointersOf(change)).toEqual(expected);
  });

  it('A width that overflows is refused', () => {
    const wide = { minimums: replaced(space.minimums, 0, -1e308), maximums: replaced(space.maximums, 0, 1e308) };
    expect(pointersOf(wide)).toEqual(['/maximums/0']);
  });

  it('All violations are reported together', () => {
    const change = { minimums: [3, 0.5, 0, 1], categories: [[], [], [], ['steel', 'steel', 'zinc']] };
    expect(pointersOf(change)).toEqual(['/maximums/0', '/minimums/1', '/categories/3']);
  });

  it('A violation names the numbers', () => {
    const [violation] = checkInputSpace({ ...space, maximums: replaced(space.maximums, 0, -2) });
    expect(violation).toMatchObject({
      property: 'maximums[0]',
      pointer: '/maximums/0',
      message: 'must be at least minimums[0] (-1.5), is -2.',
    });
  });
});

describe('checkInput', () => {
  const valid = [0.5, 3, 1, 2];

  it('Every input within the bounds is accepted, including the bounds', () => {
    fc.assert(
      fc.property(
        inputSpace.chain((drawn) => fc.tuple(fc.constant(drawn), inputOf(drawn))),
        ([drawn, input]) => {
          expect(checkInput(drawn, input, ['initialInput'])).toEqual([]);
          expect(checkInput(drawn, drawn.minimums, ['initialInput'])).toEqual([]);
          expect(checkInput(drawn, drawn.maximums, ['initialInput'])).toEqual([]);
        },
      ),
    );
  });

  test.each([
    [3, [0.5, 3, 1]],
    [5, [0.5, 3, 1, 2, 0]],
    [0, []],
  ])('%i values for 4 inputs are refused at the path of the vector', (count, input) => {
    const message = `must have one value per input (4), has ${count}.`;
    expect(checkInput(space, input, ['inputCases', 7])).toEqual([
      { property: 'inputCases[7]', pointer: '/inputCases/7', message },
    ]);
  });

  test.each([
    ['a float below', 0, -1.6],
    ['a float above', 0, 2.6],
    ['NaN', 0, Number.NaN],
    ['an integer below', 1, -1],
    ['an integer above', 1, 11],
    ['a fractional integer', 1, 3.5],
    ['a boolean of 2', 2, 2],
    ['half a boolean', 2, 0.5],
    ['a category after the last name', 3, 4],
    ['a category before the first name', 3, 0],
    ['a fractional category', 3, 1.5],
  ])('An input with %s is refused at its position', (_, at, value) => {
    const violations = checkInput(space, replaced(valid, at, value), ['initialInput']);
    expect(violations.map(({ property }) => property)).toEqual([`initialInput[${at}]`]);
  });

  it('A float may exceed its bound only by a rounding error', () => {
    expect(checkInput(space, replaced(valid, 0, 2.5 + 1e-9), [])).toEqual([]);
    expect(checkInput(space, replaced(valid, 0, -1.5 - 1e-9), [])).toEqual([]);
    expect(checkInput(space, replaced(valid, 0, 2.5 + 1e-8), [])).toHaveLength(1);
  });

  it('A whole number must not exceed its bound, however wide the range', () => {
    const wide = { ...space, maximums: replaced(space.maximums, 1, 4e9) };
    expect(checkInput(wide, replaced(valid, 1, 4e9), [])).toEqual([]);
    expect(checkInput(wide, replaced(valid, 1, 4e9 + 1), [])).toHaveLength(1);
  });

  it('All violations are reported together', () => {
    const violations = checkInput(space, [9, 3.5, 2, 0], ['initialInput']);
    expect(violations.map(({ pointer }) => pointer)).toEqual([0, 1, 2, 3].map((i) => `/initialInput/${i}`));
  });
});
