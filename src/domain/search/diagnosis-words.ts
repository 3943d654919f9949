/** A diagnosis in words: what is out of reach, what each target costs, and by how much to relax the targets. */
import { GOAL_TYPES } from '../../numbers/goal-types.ts';
import type { Diagnosis } from '../../optimizer/interface/insights.ts';
import { outputNamesOf } from '../problem/names.ts';
import { relaxation } from './explanation.ts';
import type { ObjectiveDefinition } from './objective.ts';
import { endsSearch, type RelaxedTargets } from './relaxation.ts';
import type { SearchOptions } from './search-options.ts';

/** Targets whose cost is told, those without which most is gained. */
const TOLD_COSTS = 3;
/** A target costs something if the worst miss is smaller without it by at least this share. */
const NOTICEABLE = 0.01;

type Asked = ObjectiveDefinition & { readonly options: SearchOptions | null };

/**
 * A diagnosis in words. Outputs without names are called y1, y2 and so on, as everywhere else.
 *
 * @param relaxed the least relaxation that the best run meets, if there is one
 */
export function describeDiagnosis(
  diagnosis: Diagnosis,
  definition: Asked,
  outputNames: readonly string[] | null,
  relaxed: RelaxedTargets | null,
): string {
  const names = outputNamesOf(definition.objectives.length, outputNames);
  const nameOf = (output: number) => names[output]!;
  const aspirations = describeAspirations(diagnosis, definition, names);
  const moves = relaxed && movesOf(relaxed, definition, names);
  const areMovesTold = aspirations === undefined && diagnosis.nearestIs === 'evaluated';
  const alone = diagnosis.unmet
    .filter(({ isOutOfReachAlone }) => isOutOfReachAlone)
    .map(({ output }) => nameOf(output));
  const pairs = diagnosis.conflicts.map(([a, b]) => `${nameOf(a)} and ${nameOf(b)}`);
  return [
    aspirations ?? describeMisses(diagnosis, definition, names, moves),
    ...(alone.length > 0 ? [`Out of reach even alone: ${alone.join(', ')}.`] : []),
    ...(pairs.length > 0 ? [`Each alone can be met, but not together: ${pairs.join(', ')}.`] : []),
    ...describeCosts(diagnosis, definition, names),
    ...(moves === null ? [] : describeRelaxation(areMovesTold ? null : moves, definition)),
  ].join(' ');
}

/** @param moves what makes the best run meet all targets */
function describeMisses(
  { l1Norm, unmet, nearestIs }: Diagnosis,
  definition: Asked,
  names: readonly string[],
  moves: readonly string[] | null,
): string {
  const isPredicted = nearestIs === 'predicted';
  if (l1Norm !== null) {
    return `The targets seem out of reach; the least sum of all differences ${isPredicted ? 'predicted' : 'of a run'} is ${roundedUp(l1Norm)}, which would have to be allowed.`;
  }
  const point = isPredicted ? 'the nearest point predicted' : 'the best run so far';
  const predicted = unmet.map(({ output, distance }) =>
    describeMove(definition, names, output, roundedUp(relaxation(definition, output, distance))),
  );
  const amounts = (isPredicted ? null : moves) ?? predicted;
  return `The targets seem out of reach${unmet.length > 1 ? ' together' : ''}; at ${point}, their bounds would have to be relaxed: ${amounts.join(', ')}.`;
}

/** Such as "sag by 0.345" or "mass by 1.5 percentage points". */
function describeMove(
  { objectiveTypes }: ObjectiveDefinition,
  names: readonly string[],
  output: number,
  amount: number,
): string {
  const unit = GOAL_TYPES[objectiveTypes[output]!].offsets?.amount ?? '';
  return `${names[output]} by ${amount}${unit}`;
}

/** Says what would be gained without a target, and with a little more room for it; nothing if that is not known. */
function describeCosts({ costs }: Diagnosis, definition: Asked, names: readonly string[]): readonly string[] {
  if (costs === undefined) return [];
  const { worstMiss, of } = costs;
  const isExact = isSumJudged(definition);
  const told = of
    .filter(({ without }) => without < (1 - NOTICEABLE) * worstMiss)
    .toSorted((a, b) => a.without - b.without || a.relaxed - b.relaxed)
    .slice(0, TOLD_COSTS)
    .map(({ output, without, relaxed }) => {
      const name = names[output]!;
      const eased = isExact ? '' : ` and ${short(relaxed)} with one tolerance more for it`;
      return `${short(without)} without ${name}${eased}`;
    });
  const { weights, priorities } = definition.options ?? {};
  const counted = weights || priorities ? ', counted by weights and priorities,' : '';
  const gains = told.length === 0 ? 'dropping a single target gains nothing' : `it would be ${told.join(', ')}`;
  return [
    `The models expect the worst output to miss${counted} by ${short(worstMiss)} times its tolerance at best; ${gains}.`,
  ];
}

/**
 * Says what makes the best run meet all targets, and what a search with such targets does.
 *
 * @param moves null where they were told before
 */
function describeRelaxation(moves: readonly string[] | null, definition: Asked): readonly string[] {
  const isImmediate = endsSearch(definition);
  if (moves === null)
    return isImmediate ? ['A search that goes on with targets relaxed so ends immediately, with the best run.'] : [];
  const end = isImmediate ? ', and a search that goes on with such targets ends immediately' : '';
  return [`The best run meets all targets relaxed so: ${moves.join(', ')}${end}.`];
}

/** Ends that have to move, with their new values. */
function movesOf(relaxed: RelaxedTargets, definition: ObjectiveDefinition, names: readonly string[]) {
  if (isSumJudged(definition)) return [`sum of all differences at most ${relaxed.desiredL1Norm}`];
  const ends = ['objectives', 'minimumBounds', 'maximumBounds'] as const;
  return definition.objectives.flatMap((_, j) =>
    ends
      .map((end) => Math.abs((relaxed[end][j] ?? 0) - (definition[end][j] ?? 0)))
      .filter((amount) => amount > 0)
      .map((amount) => describeMove(definition, names, j, Number(amount.toPrecision(4)))),
  );
}

function isSumJudged({ objectiveTypes }: ObjectiveDefinition): boolean {
  return objectiveTypes[0] === 'exact';
}

const short = (value: number) => String(Number(value.toPrecision(3)));

/** Says what can be reached of the outputs to minimize or maximize while all others are met; undefined if that is not known. */
function describeAspirations(
  { attainable, unmet, nearestIs }: Diagnosis,
  { objectives }: ObjectiveDefinition,
  names: readonly string[],
): string | undefined {
  const missed = attainable?.filter(({ output }) => unmet.some((one) => one.output === output)) ?? [];
  if (missed.length === 0) return undefined;
  const parts = missed.map(({ output, value }) => {
    const name = names[output]!;
    return `${name} = ${Number(value.toPrecision(4))}, its aspiration is ${objectives[output]}`;
  });
  const source = nearestIs === 'evaluated' ? 'a run' : 'the model';
  return `The aspirations seem out of reach: with all other targets met, the best attainable by ${source} is about ${parts.join('; ')}.`;
}

/** Four readable digits, rounded up: less would not be enough. */
function roundedUp(value: number): number {
  const rounded = Number(value.toPrecision(4));
  if (rounded >= value) return rounded;
  return Number((rounded + 10 ** (Math.floor(Math.log10(value)) - 3)).toPrecision(4));
}
