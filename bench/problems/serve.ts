/** Serves the problems to solvers in other languages: one JSON request per line on stdin, one answer per line on stdout. */
import { createInterface } from 'node:readline';
import { answer, type ProblemRequest } from './answer.ts';

for await (const line of createInterface({ input: process.stdin })) {
  let reply: object;
  try {
    reply = answer(JSON.parse(line) as ProblemRequest);
  } catch (error) {
    // The solver decides what a refused request means; this process runs until its stdin closes.
    reply = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
