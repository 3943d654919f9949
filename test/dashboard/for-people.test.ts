/** What people read of the messages of the service. */
import { describe, expect, test } from 'vitest';
import { forPeople } from '../../src/dashboard/parts/for-people.ts';
import { surpriseText } from '../../src/dashboard/views/objective/by-hand/surprise.ts';

describe('a message of the service', () => {
  test.each([
    [
      '2 iterations wait for their outputs; name the inverse (PUT .../inverses/{inverse_id}/output).',
      '2 iterations wait for their outputs; name the inverse.',
    ],
    ['It was stored. Correct it: POST /v1/inverses/3/corrections.', 'It was stored. Correct it.'],
    [
      'must be the id of an objective of trial 3; GET the objectives of the trial for their ids. Then try again.',
      'must be the id of an objective of trial 3. Then try again.',
    ],
    [
      'Purge them (DELETE /v1/deleted): deleted records count until they are purged.',
      'Purge them: deleted records count until they are purged.',
    ],
    ['must be at most 1.5, is 3.', 'must be at most 1.5, is 3.'],
  ])('names no request: %s', (message, told) => {
    expect(forPeople(message)).toBe(told);
  });
});

test('An unexpected output is told with at most five digits and without a path', () => {
  const surprise = { output: 1, name: null, value: 31.2345678, expectedMinimum: 1, expectedMaximum: 2.000004 };
  const detail = 'POST /v1/models/1/corrections.';
  expect(surpriseText({ ...surprise, detail })).toBe(
    'Output y2 is 31.235; the models expected 1 to 2. It was stored. If it is wrong, correct it.',
  );
  const open = { ...surprise, name: 'sag', expectedMaximum: null, detail };
  expect(surpriseText(open)).toContain('Output sag is 31.235; the models expected at least 1.');
  expect(surpriseText({ ...open, expectedMinimum: null, expectedMaximum: 2 })).toContain('expected at most 2.');
});
