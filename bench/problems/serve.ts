/** The problems for solvers in other languages: one JSON request per line on stdin, one answer per line on stdout. */
import { createInterface } from 'node:readline';
import { answer, type ProblemRequest } from './answer.ts';

for await (const line of createInterface({ input: process.stdin })) {
  let reply: object;
  try {
    reply = answer(JSON.parse(line) as ProblemRequest);
  } catch (error) {
    // The solver decides what a refused request means; this process lives until its stdin ends.
    reply = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
