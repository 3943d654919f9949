/** The key `sources` of a problem file: cheaper versions of the black box, each of any kind of black box, with its cost. */
import type { BlackBox } from './black-box/black-box.ts';
import { UNDESCRIBED } from './black-box/black-box.ts';
import { BLACK_BOX_KEYS, readBlackBox } from './black-box/kinds.ts';
import { ValueReader } from './files/value-reader.ts';
import type { Value } from './files/yaml-values.ts';

export interface SourceDefinition {
  readonly name: string;
  /** Cost of a run, in runs of the black box itself. */
  readonly cost: number;
  readonly blackBox: BlackBox;
}

const WANTED = 'a map from the name of each cheaper version to its cost and its command';

export function readSources(
  reader: ValueReader,
  value: Value | undefined,
  { length }: readonly unknown[],
): readonly SourceDefinition[] {
  if (value === undefined) return [];
  const path = ['sources'];
  if (length > 0)
    reader.refuse(value.at, path, 'cannot go with a fit yet: leave them out, or state goals for the outputs.');
  return [...(reader.entries(value, path, WANTED) ?? [])].flatMap(([name, { value: stated }]) => {
    // Kinds know their keys at the top of a file.
    const own = new ValueReader();
    const fields = own.fields(stated, [], ['cost', ...BLACK_BOX_KEYS]);
    const cost = fields?.get('cost');
    if (fields !== undefined && cost === undefined)
      own.refuse(stated.at, ['cost'], 'is required: that of a run, in runs of the black box itself, such as 0.1.');
    const number = cost && own.number(cost, ['cost']);
    if (cost && number !== undefined && !(number > 0 && number < 1))
      own.refuse(cost.at, ['cost'], `must lie between 0 and 1, is ${number}: runs of the black box itself cost 1.`);
    const blackBox = fields && readBlackBox(own, stated, fields, UNDESCRIBED);
    for (const { position, key, message } of own.violations) reader.refuse(position, [...path, name, key], message);
    return blackBox && number !== undefined ? [{ name, cost: number, blackBox }] : [];
  });
}
