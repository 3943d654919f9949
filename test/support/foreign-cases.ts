/** The files that the examples of docs/problem-file.md for PEST and PEtab are about. */

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const table = (...rows: readonly string[]) => lines(...rows.map((row) => row.replaceAll(' ', '\t')));

export const FOREIGN_FILES: Readonly<Record<string, string>> = {
  'case.pst': lines(
    ...['pcf', '* control data', 'restart estimation', '2 3 1 0 3', '1 1 double point 1 0 0'],
    ...['* parameter data', 'k log factor 0.3 0.01 3 g 1 0 1', 'n none factor 1 0.2 2 g 1 0 1'],
    ...['* observation data', 'h1 1.6 50 level', 'h2 0.1 50 level_late', 'f7 10 1 flow'],
    ...['* model command line', 'python3 model.py', '* model input/output', 'case.tpl model.in', 'case.ins model.out'],
  ),
  'case.tpl': lines('ptf ~', '~ k            ~ ~ n            ~'),
  'case.ins': lines('pif ~', 'l1 !h1! !h2! !f7!'),
  'problem.yaml': lines(
    ...['format_version: 1', 'parameter_file: parameters.tsv', 'problems:', '- condition_files: [conditions.tsv]'],
    ...[
      '  measurement_files: [measurements.tsv]',
      '  observable_files: [observables.tsv]',
      '  sbml_files: [model.xml]',
    ],
  ),
  'parameters.tsv': table('parameterId parameterScale lowerBound upperBound estimate', 'k1 log10 0.001 10 1'),
  'conditions.tsv': table('conditionId dose', 'low 1', 'high 10'),
  'observables.tsv': table('observableId observableFormula noiseFormula', 'obs_a A 0.1'),
  'measurements.tsv': table('observableId simulationConditionId time measurement', 'obs_a low 1 2', 'obs_a high 1 3'),
  'model.xml': '<sbml/>\n',
};
