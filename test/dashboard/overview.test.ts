import { describe, expect, it } from 'vitest';
import { addressOf, countText, readChoice, sortedBy, targetsText } from '../../src/dashboard/views/overview/choice.ts';
import { cornersOf } from '../../src/dashboard/views/overview/sparkline.ts';

describe('the choice of the overview', () => {
  it.each([
    ['', '/page'],
    ['state=running', '/page?state=running'],
    ['state=constructor&after=-1', '/page'],
    ['after=7.5', '/page'],
    ['sort=runs&grouped=no', '/page?sort=runs&grouped=no'],
    ['sort=created+reversed', '/page?sort=created+reversed'],
    ['sort=size+reversed&state=archived', '/page?state=archived&sort=created+reversed'],
    ['after=57&find=a+%26b&state=stopped', '/page?state=stopped&find=a+%26b&after=57'],
  ])('Of the query "%s" the address %s is left', (query, address) => {
    expect(addressOf(readChoice(new URLSearchParams(query)))).toBe(address);
  });

  it('The title of a column sorts by it, and turns the direction the second time', () => {
    const choice = readChoice(new URLSearchParams(''));
    const byName = { ...choice, ...sortedBy(choice, 'name') };
    expect([byName.sort, byName.direction]).toEqual(['name', 'ascending']);
    expect(sortedBy(byName, 'name')).toEqual({ sort: 'name', direction: 'descending' });
    expect(sortedBy(byName, 'runs')).toEqual({ sort: 'runs', direction: 'descending' });
  });
});

describe('the list', () => {
  const choice = (query: string) => readChoice(new URLSearchParams(query));

  it.each([
    [0, 0, '', 'No objectives'],
    [1, 1, '', '1 objective'],
    [50, 515, '', '50 of 515 objectives'],
    [50, 1515, 'state=running', '50 of 1\u202f515 running objectives'],
    [1, 1, 'find=heat', '1 objective found for “heat”.'],
    [50, 132, 'find=heat', '50 of 132 objectives found for “heat”.'],
    [0, 0, 'find=heat', 'No objectives found for “heat”.'],
    [2, 2, 'state=archived', '2 archived objectives'],
  ])('It shows %d of %s objectives of "%s" as "%s"', (count, total, query, text) => {
    expect(countText(count, total, choice(query))).toBe(text);
  });

  it('It says in short what is wanted', () => {
    const open = { lower: null, upper: null, lowerOpen: false, upperOpen: false };
    const targets = [
      { ...open, name: 'heat', unit: 'kW', lower: 9.9, upper: 10.1, objective: 10, objectiveType: 'percent' as const },
      { ...open, name: 'wear', unit: null, objective: null, objectiveType: 'minimize' as const },
      {
        ...open,
        name: 'noise',
        unit: null,
        upper: 20,
        upperOpen: true,
        objective: 20,
        objectiveType: 'lessthan' as const,
      },
      { ...open, name: 'mass', unit: 'g', lower: 1, upper: 3, objective: 2, objectiveType: 'exact' as const },
    ];
    expect(targetsText({ targets, outputCount: 9 })).toBe(
      'heat 9.9 … 10.1 kW, minimize wear, noise < 20, mass 2 g, 5 more',
    );
    const fitted = targets.map((one) => ({ ...one, objectiveType: 'fit' as const }));
    expect(targetsText({ targets: [...fitted.slice(0, 3), targets[2]!], outputCount: 9, limitCount: 2 })).toBe(
      '7 outputs fitted to data, noise < 20, 1 more',
    );
  });
});

describe('the line of a trend', () => {
  const box = { width: 90, height: 30 };

  it('It begins at the top, has a step at each nearer run and ends at the bottom when all is met', () => {
    expect(cornersOf({ iterations: [0, 1, 2, 3], misses: [10, 10, 0.1, 0] }, box)).toEqual([
      { x: 0, y: 0 },
      { x: 30, y: 0 },
      { x: 60, y: 0 },
      { x: 60, y: expect.closeTo(15) },
      { x: 90, y: expect.closeTo(15) },
      { x: 90, y: 30 },
    ]);
  });

  it.each([
    { iterations: [1], misses: [5] },
    { iterations: [1], misses: [0] },
    { iterations: [0, 1], misses: [0, 0] },
    { iterations: [4, 90_000], misses: [Number.MAX_VALUE, Number.MIN_VALUE] },
  ])('Its corners lie within the box: %o', (trend) => {
    for (const { x, y } of cornersOf(trend, box)) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(90);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(30);
    }
  });

  it('What is met from the start lies at the bottom', () => {
    expect(cornersOf({ iterations: [0, 1], misses: [0, 0] }, box).map(({ y }) => y)).toEqual([30, 30]);
  });
});
