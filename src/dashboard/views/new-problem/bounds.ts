import { type InputDraft, splitCategories } from './draft.ts';

/** Minimum and maximum as they are sent. A category is sent by its number, the first as 1. */
export function boundsOfInput(input: InputDraft): readonly [string, string] {
  if (input.type === 'boolean') return ['0', '1'];
  if (input.type === 'category') return ['1', String(splitCategories(input.categories).length)];
  return [input.minimum, input.maximum];
}
