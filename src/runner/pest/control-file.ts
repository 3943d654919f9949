/** Control files of PEST and PEST++, .pst: the classic form, and version 2 with its CSV files. */
import type { Counts, FilePair, PestControl } from './control.ts';
import { listSome, refuseFaults, refuseSections } from './control-rules.ts';
import { type ControlLine, type ControlSections, placeOf, readSections, wordsOf } from './control-sections.ts';
import {
  externalFileIn,
  type FileTexts,
  readObservations,
  readParameters,
  rowsOfFiles,
  textIn,
} from './control-tables.ts';
import { PestFileError } from './pest-error.ts';
import { readPriors } from './prior-information.ts';

/** The names of the CSV files that a control file of version 2 is made of. Throws PestFileError. */
export function externalFilesOf(text: string, origin: string): readonly string[] {
  return [...readSections(text, origin).sections].flatMap(([name, lines]) =>
    name.endsWith(' external') ? lines.map((line) => externalFileIn(line).name) : [],
  );
}

/**
 * @param origin  what messages call the file
 * @param files   the texts of `externalFilesOf`
 *
 * Throws PestFileError.
 */
export function readControlFile(text: string, origin: string, files: FileTexts = new Map()): PestControl {
  const stated = readSections(text, origin);
  refuseSections(stated, origin);
  const notes: string[] = [];
  const read = <T>(
    name: string,
    how: (lines: readonly ControlLine[], files: FileTexts | undefined, notes: string[]) => readonly T[],
  ) => {
    const external = stated.sections.get(`${name} external`);
    return external === undefined
      ? how(stated.sections.get(name) ?? [], undefined, notes)
      : how(external, files, notes);
  };
  const counts = readCounts(stated, origin, notes);
  const parameters = read('parameter data', readParameters);
  const observations = read('observation data', readObservations);
  const control = {
    parameters,
    observations,
    priors: read('prior information', readPriors),
    commands: (stated.sections.get('model command line') ?? []).map((line) => line.text),
    ...readPairs(stated, files, counts, origin),
    options: optionsOf(stated),
    notes,
  };
  refuseFaults(control, counts, origin);
  const unused = [...control.options.keys()].filter((one) => !USED_OPTIONS.includes(one) && !OF_PEST.includes(one));
  if (unused.length > 0) notes.push(`Options of PEST++ are not used: ${listSome(unused)}.`);
  return control;
}

/** Options that say how files are written and read. */
const USED_OPTIONS = ['additional_ins_delimiters', 'fill_tpl_zeros', 'tpl_force_decimal'];
/** Variables of "* control data" and of the sections about how PEST searches, which version 2 has among the options. */
const OF_PEST: readonly string[] = [
  ...[
    'restfle',
    'pestmode',
    'npar',
    'nobs',
    'npargp',
    'nprior',
    'nobsgp',
    'maxcompdim',
    'derzerolim',
    'ntplfle',
    'ninsfle',
  ],
  ...['precis', 'dpoint', 'numcom', 'jacfile', 'messfile', 'obsreref', 'rlambda1', 'rlamfac', 'phiratsuf', 'phiredlam'],
  ...['numlam', 'jacupdate', 'lamforgive', 'derforgive', 'relparmax', 'facparmax', 'facorig', 'ibndstick', 'upvecbend'],
  ...['absparmax', 'phiredswh', 'noptswitch', 'splitswh', 'doaui', 'dosenreuse', 'boundscale', 'noptmax', 'phiredstp'],
  ...['nphistp', 'nphinored', 'relparstp', 'nrelpar', 'phistopthresh', 'lastrun', 'phiabandon', 'icov', 'icor', 'ieig'],
  ...['ires', 'jcosave', 'verboserec', 'jcosaveitn', 'reisaveitn', 'parsaveitn', 'parsaverun', 'svdmode', 'maxsing'],
  ...['eigthresh', 'eigwrite', 'phimlim', 'phimaccept', 'fracphim', 'memsave', 'wfinit', 'wfmin', 'wfmax', 'linreg'],
  ...['regcontinue', 'wffac', 'wftol', 'iregadj', 'noptregadj', 'regweightrat', 'regsingthresh'],
];

function optionsOf({ options, sections }: ControlSections): ReadonlyMap<string, string> {
  const keywords = (sections.get('control data keyword') ?? []).map(({ text }) => wordsOf(text));
  const named = keywords.map(([name = '', value = '']) => [name.replace(/^\++/, '').toLowerCase(), value] as const);
  return new Map([...named, ...options]);
}

const UNCOUNTED: Counts = {
  parameters: undefined,
  observations: undefined,
  templates: undefined,
  instructions: undefined,
};

/** Counts that `* control data` announces; none in version 2. */
function readCounts({ sections }: ControlSections, origin: string, notes: string[]): Counts {
  const lines = sections.get('control data');
  if (lines === undefined) {
    const keywords = sections.get('control data keyword');
    if (keywords === undefined) throw new PestFileError(`${origin}:1: has no section "* control data".`);
    const mode = keywords.find(({ text }) => /^pestmode\b/i.test(text));
    refuseMode(wordsOf(mode?.text ?? '')[1] ?? 'estimation', mode, notes);
    return UNCOUNTED;
  }
  const [mode, sizes, files] = lines.map(({ text }) => wordsOf(text));
  refuseMode(
    mode?.find((word) => /^[a-z]/i.test(word) && !/^(no)?restart$/i.test(word)) ?? 'estimation',
    lines[0],
    notes,
  );
  const [parameters, observations] = (sizes ?? []).map(Number);
  const [templates, instructions] = (files ?? []).map(Number);
  if ([parameters, observations, templates, instructions].every((count) => Number.isInteger(count) && count! >= 0)) {
    return { parameters, observations, templates, instructions };
  }
  throw new PestFileError(
    `${placeOf(lines[0] ?? { origin, line: 1, text: '' })}: "* control data" must have NPAR and NOBS on its second line, NTPLFLE and NINSFLE on its third.`,
  );
}

function refuseMode(mode: string, line: ControlLine | undefined, notes: string[]): void {
  if (/^estim/i.test(mode)) return;
  if (/^regul/i.test(mode)) {
    notes.push('PESTMODE regularisation: the search has no regularisation and fits the data alone.');
    return;
  }
  const where = line === undefined ? '' : `${placeOf(line)}: `;
  throw new PestFileError(`${where}PESTMODE ${mode} is not known here; set it to estimation.`);
}

/** `* model input/output` has template files and then instruction files; version 2 has a section for each. */
function readPairs({ sections }: ControlSections, files: FileTexts, counts: Counts, origin: string) {
  const pairsOf = (name: string): readonly FilePair[] => {
    const external = sections.get(`${name} external`);
    if (external === undefined) return (sections.get(name) ?? []).map(toPair);
    return rowsOfFiles(external, files, {}).map((row) => ({
      pest: toPath(textIn(row, 'pest_file')),
      model: toPath(textIn(row, 'model_file')),
    }));
  };
  const both = pairsOf('model input/output');
  if (both.length === 0) return { templates: pairsOf('model input'), instructions: pairsOf('model output') };
  const { templates = 0, instructions = 0 } = counts;
  if (counts.templates !== undefined && templates + instructions !== both.length) {
    throw new PestFileError(
      `${origin}: "* control data" announces ${templates} template and ${instructions} instruction files, "* model input/output" has ${both.length} lines.`,
    );
  }
  const first = counts.templates ?? both.filter(({ pest }) => /\.tpl$/i.test(pest)).length;
  return { templates: both.slice(0, first), instructions: both.slice(first) };
}

function toPair(line: ControlLine): FilePair {
  const [pest, model] = wordsOf(line.text).map(toPath);
  if (pest !== undefined && model !== undefined) return { pest, model };
  throw new PestFileError(`${placeOf(line)}: needs two files, such as "model.tpl model.in".`);
}

/** Control files are carried from Windows to other systems. */
function toPath(name: string): string {
  return name.replaceAll('\\', '/');
}
