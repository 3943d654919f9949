/** The kinds of black boxes. A new kind is one entry here, beside its own file. */

import type { ValueReader } from '../files/value-reader.ts';
import { type MapEntry, type Position, parseYaml, type Value } from '../files/yaml-values.ts';
import {
  type BlackBox,
  type BlackBoxKind,
  type Described,
  type Fact,
  type Facts,
  type Fields,
  type Surroundings,
  UNDESCRIBED,
} from './black-box.ts';
import { command } from './command.ts';
import { fmu } from './fmu.ts';
import { readSigns, withSigns } from './output-signs.ts';
import { pest } from './pest.ts';
import { petab } from './petab.ts';
import { spreadsheet } from './spreadsheet.ts';
import { url } from './url.ts';

const KINDS: readonly BlackBoxKind[] = [command, url, fmu, spreadsheet, pest, petab];

export const BLACK_BOX_KEYS: readonly string[] = [...new Set(KINDS.flatMap(({ keys }) => keys))];

/** That of the key that the file states; a command where it states none, or says beside a command how to call one. */
export function kindOf(fields: Fields): BlackBoxKind {
  return KINDS.findLast(({ key }) => fields.has(key)) ?? command;
}

/** Facts that the black box of a problem file states. */
export async function describeBlackBox(text: string, where: Surroundings): Promise<Described> {
  const { value } = parseYaml(text);
  if (value?.kind !== 'map') return UNDESCRIBED;
  const fields = new Map([...value.entries].map(([key, entry]) => [key, entry.value]));
  return (await kindOf(fields).describe?.(fields, where)) ?? UNDESCRIBED;
}

export function readBlackBox(reader: ValueReader, file: Value, fields: Fields, described: Described): BlackBox {
  const kind = kindOf(fields);
  if (!fields.has(kind.key)) {
    const others = KINDS.filter((one) => one !== kind).map(({ key, example }) => `${key}: ${example}`);
    reader.refuse(file.at, [kind.key], `is required: ${kind.example}; or ${others.join(', or ')}.`);
  }
  for (const key of BLACK_BOX_KEYS.filter((one) => fields.has(one) && !kind.keys.includes(one))) {
    reader.refuse(reader.positionOf([key]), [key], `cannot be stated beside ${kind.key}; leave one of them out.`);
  }
  const read = kind.read(reader, fields, described);
  const box = kind.readsSigns === true ? read : withSigns(read, readSigns(reader, fields));
  for (const { path, message } of described.faults) reader.refuse(reader.positionOf(path), path, message);
  return box;
}

/** The fields with what the file leaves out and the black box knows. */
export function withFacts(fields: Fields, { inputs, outputs }: Described): Fields {
  const filled = new Map(fields);
  for (const [key, facts] of [
    ['inputs', inputs],
    ['outputs', outputs],
  ] as const) {
    const value = fields.get(key);
    if (value !== undefined) filled.set(key, fill(value, facts));
  }
  return filled;
}

function fill(value: Value, facts: Facts): Value {
  if (value.kind !== 'map') return value;
  const entries = [...value.entries].map(([name, entry]) => {
    const known = Object.hasOwn(facts, name) ? facts[name]! : {};
    return [name, { ...entry, value: fillOne(entry.value, known) }] as const;
  });
  return { ...value, entries: new Map(entries) };
}

/** An input or output that is left empty is one with these keys alone. */
function fillOne(value: Value, known: Facts[string]): Value {
  const { at } = value;
  const isEmpty = value.kind === 'null' && Object.keys(known).length > 0;
  return isEmpty || value.kind === 'map' ? merge(value, known, at) : value;
}

/** Merges known facts into stated values, key by key. A stated value counts, and a stated null takes back what is known. */
function merge(value: Value, known: Facts[string], at: Position): Value {
  const stated = value.kind === 'map' ? value.entries : new Map<string, MapEntry>();
  const entries = new Map<string, MapEntry>();
  for (const [key, fact] of Object.entries(known)) entries.set(key, { keyAt: at, value: toValue(fact, at) });
  for (const [key, entry] of stated) {
    const fact = known[key];
    entries.set(key, isMapOfFacts(fact) ? { ...entry, value: mergeInner(entry.value, fact) } : entry);
  }
  return { kind: 'map', entries, at };
}

function mergeInner(value: Value, known: { readonly [key: string]: Fact }): Value {
  if (value.kind !== 'map') return value;
  const takenBack = [...value.entries].flatMap(([key, entry]) => (entry.value.kind === 'null' ? [key] : []));
  const left = Object.entries(known).filter(([key]) => !takenBack.includes(key));
  const stated = new Map([...value.entries].filter(([key]) => !takenBack.includes(key)));
  return merge({ ...value, entries: stated }, Object.fromEntries(left), value.at);
}

function isMapOfFacts(fact: Fact | undefined): fact is { readonly [key: string]: Fact } {
  return typeof fact === 'object' && fact !== null && !Array.isArray(fact);
}

function toValue(fact: Fact, at: Position): Value {
  if (typeof fact === 'string') return { kind: 'text', text: fact, at };
  if (typeof fact === 'number') return { kind: 'number', number: fact, text: String(fact), at };
  if (typeof fact === 'boolean') return { kind: 'boolean', boolean: fact, text: String(fact), at };
  if (fact === null) return { kind: 'null', at };
  return isMapOfFacts(fact)
    ? merge({ kind: 'null', at }, fact, at)
    : { kind: 'list', items: fact.map((one) => toValue(one, at)), at };
}
