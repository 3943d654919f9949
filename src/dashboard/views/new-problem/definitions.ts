/** Inputs described in a table: a row per input, with or without a header. Needs no browser. */
import { type Rows, withoutUnit } from '../../parts/paste.ts';
import { type InputDraft, type InputType, newInput } from './draft.ts';

type Field = Exclude<keyof InputDraft, 'key' | 'tolerance' | 'cell'>;

/** Titles of the fields in tables, in English, German and French. */
const TITLES: Readonly<Record<Field, readonly string[]>> = {
  name: [
    'name',
    'input',
    'parameter',
    'variable',
    'factor',
    'eingang',
    'größe',
    'faktor',
    'nom',
    'entrée',
    'paramètre',
  ],
  unit: ['unit', 'units', 'einheit', 'unité'],
  type: ['type', 'kind', 'typ', 'art'],
  minimum: ['minimum', 'min', 'from', 'low', 'lower', 'lower bound', 'von', 'untergrenze', 'de'],
  maximum: ['maximum', 'max', 'to', 'high', 'upper', 'upper bound', 'bis', 'obergrenze', 'à'],
  categories: ['categories', 'category', 'values', 'levels', 'options', 'kategorien', 'werte', 'catégories', 'valeurs'],
  scale: ['scale', 'skala', 'échelle'],
  spacing: ['spacing', 'step', 'increment', 'resolution', 'schritt', 'auflösung', 'pas', 'résolution'],
};
/** The order of the columns in a table without a header. */
const ORDER: readonly Field[] = ['name', 'unit', 'type', 'minimum', 'maximum', 'categories', 'scale', 'spacing'];

const TYPES: readonly (readonly [InputType, readonly string[]])[] = [
  ['integer', ['whole number', 'integer', 'int', 'whole', 'count', 'ganzzahl', 'ganze zahl', 'entier']],
  ['boolean', ['yes/no', 'yes or no', 'boolean', 'bool', 'logical', 'ja/nein', 'oui/non']],
  ['category', ['category', 'categorical', 'choice', 'option', 'kategorie', 'catégorie']],
  ['float', ['decimal', 'float', 'number', 'continuous', 'real', 'double', 'zahl', 'nombre']],
];

/** The type named by a word; default: a decimal number. */
function readType(word: string, hasCategories: boolean): InputType {
  const plain = word.trim().toLowerCase();
  const found = TYPES.find(([, words]) => words.includes(plain));
  return found?.[0] ?? (hasCategories ? 'category' : 'float');
}

/** One input per row with anything in it; keys count from `firstKey`. */
export function readDefinitions(rows: Rows, firstKey: number): readonly InputDraft[] {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const columns = findColumns(filled[0] ?? []);
  const [body, fields] = columns === undefined ? [filled, ORDER] : [filled.slice(1), columns];
  return body.map((row, i) => {
    const cell = (field: Field) => row[fields.indexOf(field)] ?? '';
    const categories = cell('categories');
    return newInput(firstKey + i, {
      name: cell('name'),
      unit: cell('unit'),
      type: readType(cell('type'), categories !== ''),
      minimum: cell('minimum'),
      maximum: cell('maximum'),
      categories,
      scale: scaleOf(cell('scale')),
      spacing: cell('spacing'),
    });
  });
}

function scaleOf(word: string): InputDraft['scale'] {
  const plain = word.toLowerCase();
  if (plain.startsWith('log')) return 'log';
  return plain.startsWith('lin') ? 'linear' : 'auto';
}

/** The field of each column; undefined if the row is no header, which names two fields at least. */
function findColumns(row: readonly string[]): readonly (Field | undefined)[] | undefined {
  const taken = new Set<Field>();
  const fields = row.map((title) => {
    const word = withoutUnit(title).toLowerCase();
    const field = ORDER.find((one) => !taken.has(one) && TITLES[one].includes(word));
    if (field !== undefined) taken.add(field);
    return field;
  });
  return taken.size >= 2 ? fields : undefined;
}
