import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { DOORS, type Door, lineOf, sayField, sayViolation } from '../../clients/typescript/src/front-doors.ts';
import { namesIn } from '../../clients/typescript/src/solve/refusal.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import type { JsonObject } from '../../tools/client-files.ts';
import { BODIES, buildRefusalFile, refusalCases } from '../../tools/refusal-cases.ts';

const CASES = refusalCases();
const SCHEMAS = (buildOpenApiDocument() as { components: { schemas: Record<string, JsonObject> } }).components.schemas;

/** Every pointer into the schema; entries of lists have the number 0, and so have entries by name. */
function pointersOf(schema: JsonObject, pointer: string): readonly string[] {
  const { $ref, properties, items, additionalProperties } = schema;
  if (typeof $ref === 'string') return pointersOf(SCHEMAS[$ref.split('/').at(-1)!]!, pointer);
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) => (list ?? []) as readonly JsonObject[]);
  return [
    pointer,
    ...alternatives.flatMap((one) => pointersOf(one, pointer)),
    ...Object.entries((properties ?? {}) as JsonObject).flatMap(([name, one]) =>
      pointersOf(one as JsonObject, `${pointer}/${name}`),
    ),
    ...[items, additionalProperties]
      .filter((one): one is JsonObject => typeof one === 'object' && one !== null)
      .flatMap((one) => pointersOf(one, `${pointer}/0`)),
  ];
}

const BODIES_OF_SCHEMAS = {
  '/model': 'NewModel',
  '/project': 'NewProject',
  '/objectives/0': 'NewObjectives',
  '/batch': 'NewBatch',
};
const POINTERS = [
  ...new Set(Object.entries(BODIES_OF_SCHEMAS).flatMap(([body, name]) => pointersOf(SCHEMAS[name]!, body))),
].filter((pointer) => !(pointer in BODIES_OF_SCHEMAS) && !pointer.startsWith('/batch/objectives/'));

/** Names that a door has itself, as arguments or keys. */
const OWN: Readonly<Record<Door, readonly string[]>> = {
  python: [],
  page: [],
  typescript: [
    ...['feasibleInput', 'confidenceOf', 'improvementBelow', 'maximumRuns', 'timeoutSeconds', 'stopAfterFailures'],
    ...['inputTolerances', 'aimAtRobustness', 'robustRuns', 'desiredL1Norm', 'initialInput', 'initialOutput'],
    ...['initialJacobian', 'holdBack', 'atMost', 'atLeast'],
  ],
  file: [
    ...['confidenceOf', 'improvementBelow', 'maximumRuns', 'stopAfterFailures', 'fixedInputs', 'inputTolerances'],
    ...['aimAtRobustness', 'robustRuns', 'desiredL1Norm', 'holdBack', 'atMost', 'atLeast'],
  ],
  mcp: [
    ...['feasibleInput', 'maximumRuns', 'confidenceOf', 'improvementBelow', 'inputTolerances', 'aimAtRobustness'],
    ...[
      'robustRuns',
      'desiredL1Norm',
      'initialInput',
      'initialOutput',
      'initialJacobian',
      'holdBack',
      'stopAfterFailures',
    ],
    ...['timeoutSeconds', 'atMost', 'atLeast'],
  ],
};
/** Words of the interface that are no English word of a door. */
const SERVICE =
  /\b(minimums|maximums|steps has|objectives?|inverses?|iterations?|trials?|percent objective|lessthan\w*|greaterthan\w*)\b/;

function leaksOf(door: Door, text: string): readonly string[] {
  // Quotes of the user's own words are skipped.
  const own = text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/'(?:[^'\\]|\\.)*'/g, '');
  const camel = [...own.matchAll(/\b[a-z]+[A-Z]\w*/g)]
    .map(([word]) => word)
    .filter((word) => !OWN[door].includes(word));
  const others = [SERVICE.exec(own)?.[0], /\[\d*\]/.exec(own)?.[0]].filter((found) => found !== undefined);
  return [...camel, ...others];
}

describe('the words of front doors', () => {
  test.each(DOORS)('Every field that bodies of problems have is called something by %s', (door) => {
    const names = namesIn(door, BODIES);
    expect(POINTERS.filter((pointer) => sayField(door, names, pointer) === undefined)).toEqual([]);
    expect(POINTERS.length).toBeGreaterThan(130);
  });

  test.each(DOORS)('No refusal leaks a word of the interface to %s', (door) => {
    const names = namesIn(door, BODIES);
    const leaks = CASES.flatMap(({ body, violation }) => {
      const text = lineOf(sayViolation(door, names, body, violation));
      return leaksOf(door, text).map((word) => `${word}: ${text.slice(0, 200)}`);
    });
    expect([...new Set(leaks)]).toEqual([]);
  });

  test('The parts of a message together are the message', () => {
    const wrong = CASES.filter(
      ({ violation: { message, parts } }) => parts && parts.map(({ text }) => text).join('') !== message,
    );
    expect(wrong).toEqual([]);
    expect(CASES.filter(({ violation }) => violation.parts).length).toBeGreaterThan(50);
  });

  test('The cases that the clients compare are up to date; otherwise run `npm run client`', () => {
    const { file, text } = buildRefusalFile();
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('Everything that the rules can say is among the cases', () => {
    const said = CASES.map(({ violation }) => violation.message);
    const missing = RULES.flatMap(messagesOf).filter((template) => {
      if (ELSEWHERE.has(template)) return false;
      const pattern = new RegExp(template.split(HOLE).map(escaped).join('[^]*?'));
      return !said.some((message) => pattern.test(message));
    });
    expect(missing).toEqual([]);
  });

  test('No message of a rule names a field without saying which', () => {
    const named = RULES.flatMap(messagesOf).filter((template) => leaksOf('python', template).length > 0);
    expect(named).toEqual([]);
  });
});

const HOLE = '\u0000';
const RULES = [
  ...['constraint-work', 'input-details', 'names', 'project', 'sources'].map((name) => `problem/${name}`),
  'data/jacobian',
  ...[
    ...['fit', 'front-option', 'objective', 'objective-bounds', 'objective-by-name', 'objective-limits'],
    ...['robust-options', 'search-options', 'several-solutions', 'stop-options'],
  ].map((name) => `search/${name}`),
  'vectors',
].map((name) => `src/domain/${name}.ts`);

/** Texts that no front door sends: it renames no input, and the schema refuses the last three first. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  `must consist of letters, digits and _ and begin with no digit, because ${HOLE}${HOLE} mentions the input.`,
  `would make ${HOLE}${HOLE} too long: ${HOLE}.`,
  `must be finite and at least 0, is ${HOLE}.`,
  `must be a whole number from 1 to ${HOLE}, is ${HOLE}.`,
  `must be a whole number from 2 to ${HOLE}, is ${HOLE}.`,
]);

/** Texts that complete the sentence that a property begins. */
function messagesOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const found: string[] = [];
  const begins = /^(must|may|is|can|cannot|leaves?|needs|take|has|would|says|exact)\b/;
  const take = (message: string) => {
    if (begins.test(message) && /[.?]$/.test(message) && message.includes(' ')) found.push(message);
  };
  new Visitor({
    TemplateLiteral: ({ quasis }) => take(quasis.map(({ value }) => value.cooked).join(HOLE)),
    Literal: ({ value }) => {
      if (typeof value === 'string') take(value);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
