import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InverseStatus } from '../../../src/domain/search/inverse.ts';
import { StopReason, TRANSITIONS } from '../../../src/domain/search/stop-reason.ts';

const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');

const reasonNames = new Map(Object.entries(StopReason).map(([name, value]) => [value, name.toUpperCase()]));
const edges = Object.entries(TRANSITIONS).map(([event, next]) => ({
  event,
  reason: reasonNames.get(next.stopReason)!,
  number: next.stopReason,
  status: next.inverseStatus,
}));

/** The text of the diagram under a heading. */
function diagramUnder(heading: string): string {
  const start = page.indexOf(`## ${heading}\n`);
  const match = /```mermaid\n([\s\S]*?)```/.exec(page.slice(start));
  if (start < 0 || match === null) throw new Error(`docs/states.md has no diagram under "${heading}"`);
  return match[1]!;
}

/** Lines `from --> to: label` of a diagram; lines without a label are omitted. */
function labelledEdges(diagram: string): string[] {
  return [...diagram.matchAll(/^ {2}(\S+) --> (\S+): (.+)$/gm)].map((m) => `${m[1]} --> ${m[2]}: ${m[3]}`);
}

function endsOf(diagram: string): string[] {
  return [...diagram.matchAll(/^ {2}(\S+) --> \[\*\]$/gm)].map((m) => m[1]!);
}

describe('docs/states.md', () => {
  it('The diagram of the objective has the edges of the code', () => {
    const drawn = labelledEdges(diagramUnder('Objective: stopReason')).filter((edge) => !edge.startsWith('[*]'));
    expect(drawn.sort()).toEqual(edges.map(({ event, reason }) => `RUNNING --> ${reason}: ${event}`).sort());
  });

  it('The diagram names the states of the objective with their numbers', () => {
    const named = [...diagramUnder('Objective: stopReason').matchAll(/state "(\d) (\w+)" as (\w+)/g)];
    const expected = Object.entries(StopReason).map(([name, value]) => [`${value}`, name.toUpperCase()]);
    expect(named.map((m) => [m[1], m[2]])).toEqual(expected);
    for (const m of named) expect(m[3]).toBe(m[2]);
  });

  it('The diagram of an inverse has the edges of the code', () => {
    const drawn = labelledEdges(diagramUnder('Run: status')).filter((edge) => !edge.startsWith('[*]'));
    expect(drawn.sort()).toEqual(edges.map(({ event, status }) => `active --> ${status}: ${event}`).sort());
  });

  it('Every state except RUNNING and active is final in the diagrams', () => {
    const finals = Object.keys(StopReason).map((name) => name.toUpperCase());
    expect(endsOf(diagramUnder('Objective: stopReason')).sort()).toEqual(
      finals.filter((name) => name !== 'RUNNING').sort(),
    );
    const statuses = Object.values(InverseStatus).filter((status) => status !== 'active');
    expect(endsOf(diagramUnder('Run: status')).sort()).toEqual(statuses.sort());
  });

  it('The table has one row per event with both next states', () => {
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| (\d) (\w+) \| (\w+) \|/gm)];
    const told = rows.map((m) => ({ event: m[1]!, reason: m[3]!, number: Number(m[2]), status: m[4]! }));
    expect(told).toEqual(edges);
  });
});
