/**
 * Cases of PEST as Backsolve reads and writes them, for clients/python/tests/test_pest.py and bench/pest, which compare them with other
 * tools:
 *
 *   npx node test/support/read-pest.ts FOLDER ...
 *
 * Each folder has case.pst, and the model output that its instruction files read. Prints a JSON line per folder: what the control file
 * states, and the observations, or an error. Writes the model input into the folder, with `ours.` before its names, and case.par and
 * case.rei.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadCase } from '../../src/runner/pest/case.ts';
import { inputFilesOf, observationReader, valuesOfInput } from '../../src/runner/pest/case-runner.ts';
import { PestFileError } from '../../src/runner/pest/pest-error.ts';
import { formatParameterFile, formatResidualFile } from '../../src/runner/pest/result-files.ts';

for (const folder of process.argv.slice(2)) {
  const read = await readCase(folder).catch((error: unknown) => {
    if (!(error instanceof PestFileError)) throw error;
    return { error: error.message };
  });
  console.log(JSON.stringify(read));
}

async function readCase(folder: string): Promise<object> {
  const pestCase = await loadCase('case.pst', folder);
  const { control } = pestCase;
  const names = {
    parameters: new Map<string, string>(),
    observations: new Map(control.observations.map(({ name }) => [name, [name]])),
  };
  for (const { target, template } of inputFilesOf(pestCase, names)) {
    await writeFile(path.join(folder, `ours.${target}`), Buffer.from(template.render({}), 'latin1'));
  }
  const outputNames = control.observations.map(({ name }) => name);
  const reading = await observationReader(pestCase, names, null).read(folder, { names: outputNames });
  const values = valuesOfInput(pestCase, names, {});
  if (reading.kind === 'output') {
    const modelled = new Map(outputNames.map((name, i) => [name, reading.output[i]!]));
    await writeFile(path.join(folder, 'case.par'), formatParameterFile(control, values));
    await writeFile(path.join(folder, 'case.rei'), formatResidualFile(control, 'run 1', values, modelled));
  }
  const { templates, instructions, parameters, observations, priors, commands } = control;
  return { templates, instructions, parameters, observations, priors, commands, reading };
}
