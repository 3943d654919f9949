/**
 * PEtab problems as Backsolve reads and writes them, for clients/python/tests/test_petab.py, which compares them with petab:
 *
 *   npx node test/support/read-petab.ts FILE.yaml ...
 *
 * Beside each file lies simulations.tsv, what a simulator left with the nominal values. Prints a JSON line per file: its data sets as a
 * fit has them, with simulated values, or why it is refused. Writes best.parameters.tsv and best.simulations.tsv beside the file.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { factsOfSet } from '../../src/runner/black-box/petab-facts.ts';
import { loadPetab } from '../../src/runner/petab/load-petab.ts';
import { PetabError } from '../../src/runner/petab/petab-error.ts';
import { nameOfSet } from '../../src/runner/petab/petab-problem.ts';
import { formatEstimates, formatSimulations } from '../../src/runner/petab/result-tables.ts';
import { simulationReader, toldTo } from '../../src/runner/petab/simulator.ts';

for (const file of process.argv.slice(2)) {
  const refused = await show(file).catch((error: Error) => error);
  if (refused instanceof PetabError) console.log(JSON.stringify({ refused: refused.message }));
  else if (refused instanceof Error) throw refused;
}

async function show(file: string): Promise<void> {
  const folder = path.dirname(file);
  const problem = await loadPetab(path.basename(file), folder);
  const reader = simulationReader(problem);
  const nominal = Object.fromEntries(problem.parameters.map(({ id, nominal: value }) => [id, value!]));
  const sets = [];
  for (const set of problem.sets) {
    const reading = await reader.read(folder, { names: [set.observable], input: set.condition });
    const told = toldTo(problem, { ...nominal, ...set.condition });
    sets.push({ name: nameOfSet(set, problem), ...set, fit: factsOfSet(set)['fit'], told, reading });
  }
  const outputs = Object.fromEntries(
    sets.map(({ name, reading }) => [name, reading.kind === 'output' ? reading.output : []]),
  );
  await writeFile(path.join(folder, 'best.parameters.tsv'), formatEstimates(problem, nominal, outputs));
  await writeFile(path.join(folder, 'best.simulations.tsv'), formatSimulations(problem, outputs));
  console.log(JSON.stringify({ sets, parameters: problem.parameters }));
}
