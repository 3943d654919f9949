import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DomainError, makeViolation, notFound, refuseViolations, type Violation } from '../../src/domain/errors.ts';

function refusalOf(violations: readonly Violation[]): DomainError {
  try {
    refuseViolations(violations);
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('nothing was refused');
}

/** The value that a JSON Pointer refers to (RFC 6901, section 4). */
function follow(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  let value = document;
  for (const token of pointer.slice(1).split('/')) {
    value = (value as Record<string, unknown>)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

describe('makeViolation', () => {
  test.each([
    [[], '', ''],
    [['name'], 'name', '/name'],
    [['objectives', 2], 'objectives[2]', '/objectives/2'],
    [['outputCases', 3, 1], 'outputCases[3][1]', '/outputCases/3/1'],
    [['project', 'categories', 0], 'project.categories[0]', '/project/categories/0'],
    [['a/b', '~'], 'a/b.~', '/a~1b/~0'],
    [['~1'], '~1', '/~01'],
  ])('The path %j is written as %s and as the pointer %s', (path, property, pointer) => {
    expect(makeViolation(path, 'is wrong.')).toEqual({ property, pointer, message: 'is wrong.' });
  });

  it('The pointer leads to the value that the path names', () => {
    const segment = fc.oneof(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      fc.nat(3),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (path) => {
        const document = path.reduceRight<unknown>(
          (inner, key) => (typeof key === 'number' ? [...new Array<null>(key).fill(null), inner] : { [key]: inner }),
          'here',
        );
        expect(follow(document, makeViolation(path, '').pointer)).toBe('here');
      }),
    );
  });
});

describe('refuseViolations', () => {
  const many = (count: number): Violation[] =>
    Array.from({ length: count }, (_, i) => makeViolation(['objectives', i], 'must be a number.'));

  it('An empty list is not an error', () => {
    expect(() => refuseViolations([])).not.toThrow();
  });

  it('The message states a single violation', () => {
    const error = refusalOf(many(1));
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.message).toBe('objectives[0]: must be a number.');
    expect(error.facts.violations).toEqual(many(1));
  });

  it('The message counts several violations, and the facts list them all', () => {
    const error = refusalOf(many(3));
    expect(error.message).toBe('3 violations, the first: objectives[0]: must be a number.');
    expect(error.facts.violations).toHaveLength(3);
  });

  it('At most 100 violations are listed, but all are counted', () => {
    expect(refusalOf(many(100)).facts.violations).toHaveLength(100);
    const error = refusalOf(many(50_000));
    expect(error.message).toContain('50000 violations');
    expect(error.facts.violations).toEqual(many(100));
  });

  it('A violation without a path is about the request', () => {
    const whole = makeViolation([], 'must be a JSON object.');
    expect(refusalOf([whole]).message).toBe('the body: must be a JSON object.');
    expect(refusalOf([whole, ...many(1)]).message).toBe('2 violations, the first: the body: must be a JSON object.');
  });
});

describe('DomainError', () => {
  it('A DomainError is an Error with a code and facts', () => {
    const error = new DomainError('ITERATION_OPEN', 'still open', { inverse: { objectiveId: 7, inverseId: 9 } });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'DomainError', code: 'ITERATION_OPEN', message: 'still open' });
    expect(error.facts.inverse).toEqual({ objectiveId: 7, inverseId: 9 });
  });

  it('A missing resource is named', () => {
    expect(notFound('trial', 12)).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no trial 12.',
      facts: {},
    });
  });
});
