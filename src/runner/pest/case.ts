/** A control file of PEST with the files that it names. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../files/read-file.ts';
import { isOutside } from '../files/work-folder.ts';
import type { FilePair, PestControl } from './control.ts';
import { externalFilesOf, readControlFile } from './control-file.ts';
import { listSome, repeated } from './control-rules.ts';
import { type InstructionFile, parseInstructionFile } from './instruction-file.ts';
import type { NumberStyle } from './number-in-width.ts';
import { PestFileError } from './pest-error.ts';
import { type PestTemplate, parsePestTemplate } from './template-file.ts';

export interface PestCase {
  readonly control: PestControl;
  readonly templates: readonly { readonly template: PestTemplate; readonly target: string; readonly mode: number }[];
  readonly instructions: readonly { readonly file: InstructionFile; readonly output: string }[];
  /** Whole sentences about what a person should know. */
  readonly notes: readonly string[];
}

/** @param file  as the user names it, relative to `home`; other files are relative to its folder. Throws PestFileError. */
export async function loadCase(file: string, home: string): Promise<PestCase> {
  const folder = path.dirname(path.resolve(home, file));
  const text = await readText(path.resolve(home, file), file, 'there is no such file');
  const externals = externalFilesOf(text, file).map(async (name): Promise<readonly [string, string | Error]> => {
    return [name, await readText(path.resolve(folder, name), name).catch((error: Error) => error)];
  });
  const control = readControlFile(text, file, new Map(await Promise.all(externals)));
  const isSet = (option: string) => /^(true|t|1|yes|y)$/i.test(control.options.get(option) ?? '');
  const style = { fill: isSet('fill_tpl_zeros') ? '0' : ' ', isDecimal: isSet('tpl_force_decimal') } as const;
  const templates = await Promise.all(control.templates.map((pair) => loadTemplate(pair, folder, style)));
  const instructions = await Promise.all(control.instructions.map((pair) => loadInstructions(pair, folder)));
  return { control, templates, instructions, notes: notesOn(control, templates, instructions, file) };
}

async function loadTemplate({ pest, model }: FilePair, folder: string, style: NumberStyle) {
  refuseOutside(model);
  const template = parsePestTemplate(await readText(path.resolve(folder, pest), pest), pest, style);
  const { mode } = await stat(path.resolve(folder, pest));
  return { template, target: path.normalize(model), mode };
}

async function loadInstructions({ pest, model }: FilePair, folder: string) {
  refuseOutside(model);
  const file = parseInstructionFile(await readText(path.resolve(folder, pest), pest), pest);
  return { file, output: path.normalize(model) };
}

const ABSENT = 'there is no such file in the folder of the control file';

/** Each byte as one character: old files have any encoding. */
async function readText(file: string, name: string, absent = ABSENT): Promise<string> {
  const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? absent : error.message;
    throw new PestFileError(`${name}: ${why}.`);
  });
  return bytes.toString('latin1');
}

function refuseOutside(model: string): void {
  if (!isOutside(model)) return;
  throw new PestFileError(
    `${model} lies outside of the folder in which the model runs; each run has its own, so name files in it.`,
  );
}

/** Throws PestFileError where files and control file do not belong together. */
function notesOn(
  control: PestControl,
  templates: PestCase['templates'],
  instructions: PestCase['instructions'],
  file: string,
): readonly string[] {
  const widths = new Map<string, number>();
  for (const { template } of templates) {
    for (const [name, width] of template.widths) widths.set(name, Math.min(width, widths.get(name) ?? width));
  }
  const names = instructions.flatMap((one) => one.file.names);
  const twice = repeated(names);
  if (twice !== undefined)
    throw new PestFileError(`${file}: the observation ${twice} is read by two instruction files.`);
  const read = new Set(names);
  const refuse = (wrong: readonly string[], what: string) => {
    if (wrong.length > 0) throw new PestFileError(`${file}: ${listSome(wrong)} ${what}`);
  };
  const { parameters, observations } = control;
  const known = new Set(parameters.map(({ name }) => name));
  const isUsed = (name: string) => widths.has(name) || parameters.some((one) => one.parent === name);
  const estimated = parameters.filter(({ transform }) => transform === 'log' || transform === 'none');
  refuse(
    [...widths.keys()].filter((name) => !known.has(name)),
    'stands in a template file, but is not a parameter of the control file.',
  );
  refuse(
    estimated.map(({ name }) => name).filter((name) => !isUsed(name)),
    'is in no template file, so the model never sees it: set PARTRANS to fixed, or add it.',
  );
  refuse(
    observations.filter(({ name, weight }) => weight > 0 && !read.has(name)).map(({ name }) => name),
    'is read by no instruction file: set its weight to 0, or add it.',
  );
  const observed = new Set(observations.map(({ name }) => name));
  const extra = [...read].filter((name) => !observed.has(name));
  const narrow = estimated.map(({ name }) => name).filter((name) => (widths.get(name) ?? ENOUGH) < ENOUGH);
  return [
    ...control.notes,
    ...(extra.length > 0 ? [`Read, but no observation of the control file: ${listSome(extra)}.`] : []),
    ...(narrow.length > 0
      ? [
          `The model gets few digits of ${listSome(narrow)}: widen their spaces in the template files to ${ENOUGH} characters.`,
        ]
      : []),
  ];
}

/** Characters for a sign, six digits and an exponent. */
const ENOUGH = 12;
