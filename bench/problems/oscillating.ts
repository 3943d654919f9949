/**
 * Outputs that oscillate along the inputs, so that many regions nearly meet the targets: stacks of thin layers, ripples and
 * arrays of antennas. Every instance is drawn around a point that satisfies it.
 */
import { atMost, defineProblems, floats, type ProblemDefinition, within } from './problem.ts';
import { makeUniform } from './random.ts';
import { reflectance } from './thin-film.ts';

type Point = readonly number[];

interface Kind {
  readonly name: string;
  readonly source: string;
  readonly variables: ProblemDefinition['variables'];
  /** Half width of the interval around each output of the known point; of a limit, how far it lies above. */
  readonly tolerance: number;
  readonly areLimits?: boolean;
  readonly makeOutputs: (uniform: () => number) => (x: Point) => number[];
}

const INSTANCES = 8;

/** Three layers of fixed materials on glass: which thicknesses reflect so much at six wavelengths? */
const threeLayers: Kind = {
  name: 'layers',
  source: 'Macleod, Thin-film optical filters; drawn materials and thicknesses',
  variables: floats(3, 20, 300),
  tolerance: 0.01,
  makeOutputs: (uniform) => {
    const indices = [0, 1, 2].map((i) => (i % 2 === 0 ? 1.35 + 0.15 * uniform() : 2 + 0.4 * uniform()));
    const wavelengths = [420, 480, 540, 600, 660, 720];
    return (x) =>
      wavelengths.map((wavelength) =>
        reflectance(
          indices.map((index, i) => ({ index, thickness: x[i]! })),
          [1.52, 0],
          wavelength,
        ),
      );
  },
};

/** Sums of plane waves of several directions and lengths. */
const ripples: Kind = {
  name: 'ripples',
  source: 'sums of plane waves in drawn directions on a slope',
  variables: floats(3, 0, 1),
  tolerance: 0.03,
  makeOutputs: (uniform) => {
    const outputs = Array.from({ length: 4 }, () => ({
      slope: [0, 1, 2].map(() => 2 * uniform() - 1),
      waves: Array.from({ length: 2 }, () => ({
        direction: [0, 1, 2].map(() => 12 * (uniform() - 0.5)),
        phase: 6.28 * uniform(),
        height: 0.3 + 0.4 * uniform(),
      })),
    }));
    const along = (weights: Point, x: Point) => weights.reduce((total, weight, i) => total + weight * x[i]!, 0);
    return (x) =>
      outputs.map(
        ({ slope, waves }) =>
          along(slope, x) +
          waves.reduce((sum, { direction, phase, height }) => sum + height * Math.sin(along(direction, x) + phase), 0),
      );
  },
};

/** A symmetric line of eight antennas, whose places are free: the level, relative to the main lobe, at five angles. */
const antennas: Kind = {
  name: 'antennas',
  source: 'Balanis, Antenna theory, array factor of a symmetric linear array; drawn angles',
  variables: floats(4, -0.4, 0.4),
  tolerance: 0.02,
  makeOutputs: (uniform) => {
    const angles = Array.from({ length: 5 }, (_, i) => (15 + 14 * i + 8 * uniform()) * (Math.PI / 180));
    return (x) =>
      angles.map((angle) => {
        const places = x.map((shift, i) => 0.5 + 0.9 * i + shift);
        return places.reduce((sum, place) => sum + Math.cos(2 * Math.PI * place * Math.sin(angle)), 0) / places.length;
      });
  },
};

/** The same layers with a limit above each reflectance. */
/** The same with twice the tolerance. */
const easyLayers: Kind = { ...threeLayers, name: 'easy-layers', tolerance: 0.02 };

const dimLayers: Kind = { ...threeLayers, name: 'dim-layers', tolerance: 0.005, areLimits: true };

/** Ten waves in two inputs. */
const fineRipples: Kind = {
  name: 'fine-ripples',
  source: ripples.source,
  variables: floats(2, 0, 1),
  tolerance: 0.03,
  makeOutputs: (uniform) => {
    const outputs = Array.from({ length: 3 }, () =>
      Array.from({ length: 3 }, () => ({
        direction: [0, 1].map(() => 50 * (uniform() - 0.5)),
        phase: 6.28 * uniform(),
        height: 0.3 + 0.4 * uniform(),
      })),
    );
    return (x) =>
      outputs.map((waves) =>
        waves.reduce(
          (sum, { direction, phase, height }) =>
            sum + height * Math.sin(direction[0]! * x[0]! + direction[1]! * x[1]! + phase),
          0,
        ),
      );
  },
};

/** Levels of side lobes in decibels that must not be exceeded. */
const quietAntennas: Kind = {
  name: 'quiet-antennas',
  source: antennas.source,
  variables: floats(4, -0.4, 0.4),
  tolerance: 0.5,
  areLimits: true,
  makeOutputs: (uniform) => {
    const levels = antennas.makeOutputs(uniform);
    return (x) => levels(x).map((level) => 10 * Math.log10(1e-4 + level * level));
  },
};

function instance(kind: Kind, number: number): ProblemDefinition {
  const uniform = makeUniform(1000 * number + kind.name.length);
  const evaluate = kind.makeOutputs(uniform);
  const at = (share: number) => kind.variables.map(({ minimum, maximum }) => minimum + share * (maximum - minimum));
  const known = kind.variables.map(({ minimum, maximum }) => minimum + (0.1 + 0.8 * uniform()) * (maximum - minimum));
  return {
    name: `${kind.name}-${number}`,
    source: kind.source,
    variables: kind.variables,
    objectives: kind.areLimits
      ? evaluate(known).map((value) => atMost(value + kind.tolerance))
      : within(evaluate(known), kind.tolerance),
    budget: 150,
    start: at(0.5),
    known,
    evaluate,
  };
}

export const oscillatingProblems = defineProblems(
  'simulators',
  [threeLayers, easyLayers, ripples, antennas, dimLayers, fineRipples, quietAntennas].flatMap((kind) =>
    Array.from({ length: INSTANCES }, (_, i) => instance(kind, i + 1)),
  ),
);
