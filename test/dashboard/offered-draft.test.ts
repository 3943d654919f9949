import { expect, it } from 'vitest';
import { type Draft, emptyDraft } from '../../src/dashboard/views/new-problem/draft.ts';
import { offeredDraft } from '../../src/dashboard/views/new-problem/offered-draft.ts';

const named = (id: string, name: string): Draft => ({ ...emptyDraft(id), name });
const stored = (writer: string, draft: Draft, updatedAt: string) => ({
  writer,
  text: JSON.stringify(draft),
  updatedAt,
});

const here = named('a', 'Heat');
const newer = stored('other', named('a', 'Heat exchanger'), '2026-01-01T00:03:00Z');
const own = stored('me', here, '2026-01-01T00:02:00Z');
const older = stored('other', named('a', 'H'), '2026-01-01T00:01:00Z');
const another = stored('third', named('b', 'Wave'), '2026-01-01T00:00:00Z');

it.each([
  ['a newer state of the same problem', [newer, own], here, newer],
  ['no older state of the same problem', [own, older], here, undefined],
  ['another problem, however old', [own, older, another], here, another],
  ['the newest, also its own, for an empty form', [own, another], emptyDraft('c'), own],
  ['nothing that is the same', [own], here, undefined],
  [
    'nothing that is empty or cannot be read',
    [stored('x', emptyDraft('d'), '2026'), { ...own, text: '{' }],
    here,
    undefined,
  ],
] as const)('Of the drafts on the service it offers %s', (_, drafts, form, expected) => {
  expect(offeredDraft(drafts, form, 'me')).toBe(expected);
});
