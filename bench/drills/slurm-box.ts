/** The black box of the drill on Slurm: reads an evaluation from standard input, says when it starts and ends, prints its outputs. */
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { BOXES } from '../chaos/problems.ts';

export interface BoxLine {
  readonly event: 'start' | 'end';
  readonly at: number;
  readonly id: number;
}

const [, , journal, name, seconds] = process.argv;
const { id, input } = JSON.parse(await text(process.stdin)) as {
  readonly id: number;
  readonly input: readonly number[];
};
const note = (event: BoxLine['event']) =>
  appendFileSync(journal!, `${JSON.stringify({ event, at: Date.now(), id } satisfies BoxLine)}\n`);
note('start');
await delay(1_000 * Number(seconds));
const output = BOXES.find((box) => box.name === name)!.run(input);
note('end');
console.log(JSON.stringify(output));
