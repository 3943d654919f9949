/** Integers, booleans and categories beside floats. A category is a choice without order: a material, a type of joint. */
import { pressureVessel, speedReducer, spring } from './engineering.ts';
import { brownAlmostLinear } from './exact.ts';
import {
  atLeast,
  atMost,
  boolean,
  category,
  defineProblems,
  exact,
  float,
  floats,
  integer,
  minimize,
  within,
  withinPercent,
} from './problem.ts';
import { integrate } from './runge-kutta.ts';
import { reflectance } from './thin-film.ts';

/** Wires of the spring catalogue (Sandgren 1990), inches. */
const wires = [0.009, 0.014, 0.0202, 0.028, 0.0354, 0.063, 0.105, 0.162, 0.207, 0.263, 0.331, 0.5];

/** Steel, cast iron, aluminium, brass: design stress (1000 psi), modulus E and G (million psi), bar and weld cost. */
const beamMaterials = [
  { stress: 30, young: 30, shear: 12, weld: 0.1047, bar: 0.0481 },
  { stress: 8, young: 14, shear: 6, weld: 0.0489, bar: 0.0224 },
  { stress: 5, young: 10, shear: 4, weld: 0.5235, bar: 0.2405 },
  { stress: 8, young: 16, shear: 6, weld: 0.5584, bar: 0.2566 },
];

/**
 * Welded beam with a choice of material and of welding two or four sides (Deb, Goyal 1996; the polar moment of the
 * closed weld is Blodgett's (l + t)^3 / 6 per unit of throat).
 *
 * @returns cost, shear stress / limit, bending stress / limit, deflection (in), buckling load (lb), h - b
 */
function weldedBeamChoice([h, l, t, b, fourSides, code]: readonly number[]): number[] {
  const material = beamMaterials[code!]!;
  const isFour = fourSides! >= 0.5;
  const area = isFour ? Math.SQRT2 * h! * (t! + l!) : Math.SQRT2 * h! * l!;
  const radius = Math.sqrt((l! * l!) / 4 + ((h! + t!) / 2) ** 2);
  const polar = isFour
    ? (Math.SQRT1_2 * h! * (t! + l!) ** 3) / 6
    : Math.SQRT2 * h! * l! * ((l! * l!) / 12 + ((h! + t!) / 2) ** 2);
  const primary = 6000 / area;
  const secondary = (6000 * (14 + 0.5 * l!) * radius) / polar;
  const shear = Math.sqrt(primary ** 2 + secondary ** 2 + (l! * primary * secondary) / radius);
  const bending = 504000 / (t! * t! * b!);
  const young = material.young * 1e6;
  const deflection = 65856000 / (young * t! ** 3 * b!);
  const root = Math.sqrt((young * material.shear * 1e6 * t! * t! * b! ** 6) / 36);
  const buckling =
    (4.013 * root) / 196 - ((t! * Math.sqrt(young / (4 * material.shear * 1e6))) / 28) * ((4.013 * root) / 196);
  const weldVolume = (1 + material.weld) * h! * h! * (isFour ? l! + t! : l!);
  const cost = weldVolume + material.bar * t! * b! * (14 + l!);
  return [cost, shear / (577 * material.stress), bending / (1000 * material.stress), deflection, buckling, h! - b!];
}

/** Simply supported reinforced concrete beam (Amir, Hasegawa 1989): steel area from a list, width, depth. */
const steelAreas = [6, 6.16, 6.32, 6.6, 7, 7.11, 7.2, 7.8, 7.9, 8, 8.4];
function concreteBeam([areaCode, width, depth]: readonly number[]): number[] {
  const area = steelAreas[areaCode!]!;
  return [
    29.4 * area + 0.6 * width! * depth!,
    width! / depth! - 4,
    180 + (7.375 * area * area) / depth! - area * width!,
  ];
}

const wavelengths = [450, 500, 550, 600, 650];
/** Indices of MgF2, SiO2, Al2O3, ZrO2, TiO2 near 550 nm. */
const coatings = [1.38, 1.46, 1.63, 2.05, 2.35];
function coatingChoice([outer, inner, outerThickness, innerThickness]: readonly number[]): number[] {
  const layers = [
    { index: coatings[outer!]!, thickness: outerThickness! },
    { index: coatings[inner!]!, thickness: innerThickness! },
  ];
  return wavelengths.map((wavelength) => 100 * reflectance(layers, [1.52, 0], wavelength));
}

/**
 * SIR epidemic (Kermack, McKendrick 1927) with interventions: first day of a lockdown, masks, and the kind of lockdown
 * (none, partial, full).
 *
 * @returns peak of the infected share in percent, day of the peak, share ever infected by day 160 in percent
 */
function epidemicPolicy([day, masks, lockdown, reproduction]: readonly number[]): number[] {
  const contact = [1, 0.65, 0.4][lockdown!]!;
  const states = integrate(
    ([s, i], time) => {
      const active = time >= day! && time < day! + 60 ? contact : 1;
      const infection = (reproduction! / 8) * active * (masks! >= 0.5 ? 0.8 : 1) * s! * i!;
      return [-infection, infection - i! / 8];
    },
    [0.999, 0.001],
    160,
    640,
  );
  const infected = states.map((state) => state[1]!);
  const peak = Math.max(...infected);
  return [100 * peak, infected.indexOf(peak) / 4, 100 * (1 - states[640]![0]!)];
}
const epidemicTruth = [31, 1, 1, 2.6];

/** Mass, first frequency and tip deflection of a cantilever: profile, material, number of ribs, length, height, wall. */
const sections = [0.6, 0.82, 1, 1.18];
const metals = [
  { density: 7850, young: 210 },
  { density: 2700, young: 70 },
  { density: 4430, young: 114 },
];
function cantilever([profile, metal, ribs, length, height, wall]: readonly number[]): number[] {
  const { density, young } = metals[metal!]!;
  const shape = sections[profile!]!;
  const area = shape * 4 * height! * wall! * 1e-6 + ribs! * 2e-5;
  const inertia = shape * (2 / 3) * height! ** 3 * wall! * 1e-12 * (1 + 0.06 * ribs!);
  const mass = density * area * length!;
  const stiffness = (3 * young * 1e9 * inertia) / length! ** 3;
  return [mass, Math.sqrt(stiffness / (0.243 * mass)) / (2 * Math.PI), (1000 * 500) / stiffness];
}
const cantileverTruth = [2, 1, 3, 1.2, 60, 3.5];

const functionChoice = (code: number, x: number, y: number): number => {
  if (code === 0) return 100 * (y - x * x) ** 2 + (1 - x) ** 2;
  if (code === 1) return 10 * ((4 - 2.1 * x * x + x ** 4 / 3) * x * x + x * y + (4 * y * y - 4) * y * y);
  return 0.5 * (x ** 4 - 16 * x * x + 5 * x + y ** 4 - 16 * y * y + 5 * y) + 60;
};

/** Aperiodic autocorrelations of a sequence of signs at the shifts 1 to 5 (Golay 1982). */
function autocorrelations(bits: readonly number[]): number[] {
  const signs = bits.map((bit) => (bit >= 0.5 ? 1 : -1));
  return [1, 2, 3, 4, 5].map((shift) => signs.slice(shift).reduce((total, sign, i) => total + sign * signs[i]!, 0));
}

const latticeTruth = [7, 1, 6, 4, -1];

export const mixedProblems = defineProblems('mixed', [
  {
    name: 'pressure-vessel-plates',
    source: 'Sandgren (1990); thicknesses in whole sixteenths of an inch; optimum 6059.7',
    variables: [integer(1, 99), integer(1, 99), float(10, 200), float(10, 200)],
    objectives: [minimize(6300), atLeast(0), atLeast(0), atLeast(1296000)],
    start: [40, 40, 80, 80],
    known: [13, 7, 42.0975, 176.66],
    evaluate: ([shell, head, radius, length]) => pressureVessel([shell! / 16, head! / 16, radius!, length!]),
  },
  {
    name: 'spring-catalogue',
    source: 'Arora (1989) spring with whole coils and a catalogue wire (Sandgren 1990) as category',
    variables: [category(12), float(0.25, 1.3), integer(2, 15)],
    objectives: [minimize(0.0195), ...[0, 0, 0, 0].map(atMost)],
    start: [8, 0.9, 8],
    known: [5, 0.6120855, 6],
    evaluate: ([wire, diameter, coils]) => spring([wires[wire!]!, diameter!, coils!]),
  },
  {
    name: 'speed-reducer-teeth',
    source: 'Golinski (1970), whole teeth; optimum 2994.5',
    variables: [
      float(2.6, 3.6),
      float(0.7, 0.8),
      integer(17, 28),
      float(7.3, 8.3),
      float(7.3, 8.3),
      float(2.9, 3.9),
      float(5, 5.5),
    ],
    objectives: [minimize(3040), ...new Array(11).fill(0).map(() => atMost(0))],
    start: [3.1, 0.75, 22, 7.8, 7.8, 3.4, 5.25],
    known: [3.5005, 0.70005, 17, 7.35, 7.75, 3.352, 5.288],
    evaluate: speedReducer,
  },
  {
    name: 'gear-train',
    source: 'Sandgren (1990), gear train; ratio 1 / 6.931 within 0.01 percent',
    variables: [integer(12, 60), integer(12, 60), integer(12, 60), integer(12, 60)],
    objectives: withinPercent([1 / 6.931], 0.01),
    start: [40, 40, 20, 20],
    known: [43, 49, 16, 19],
    evaluate: ([a, b, c, d]) => [(c! * d!) / (a! * b!)],
  },
  {
    name: 'welded-beam-materials',
    source: 'Deb, Goyal (1996), A combined genetic adaptive search (GeneAS); material and weld as choices',
    variables: [float(0.0625, 2), float(0.1, 10), float(2, 20), float(0.0625, 2), boolean(), category(4)],
    objectives: [minimize(2.1), atMost(1), atMost(1), atMost(0.25), atLeast(6000), atMost(0)],
    start: [1, 5, 8, 1, 1, 2],
    known: [0.1728836, 2.714469, 7.806567, 0.2767255, 1, 0],
    evaluate: weldedBeamChoice,
  },
  {
    name: 'concrete-beam',
    source: 'Amir, Hasegawa (1989); optimum 359.21',
    variables: [integer(0, 10), integer(28, 40), float(5, 10)],
    objectives: [minimize(362.5), atMost(0), atMost(0)],
    start: [9, 38, 6.5],
    known: [2, 34, 8.55],
    evaluate: concreteBeam,
  },
  {
    name: 'coating-materials',
    source: 'Macleod, Thin-film optical filters: two-layer antireflection coating on glass, materials as categories',
    variables: [category(5), category(5), float(40, 200), float(40, 200)],
    objectives: [1.3, 0.6, 0.45, 0.7, 1.3].map(atMost),
    start: [4, 0, 120, 120],
    known: [0, 2, 85.89, 113.36],
    evaluate: coatingChoice,
  },
  {
    name: 'epidemic-policy',
    source: 'Kermack, McKendrick (1927), with a lockdown of sixty days and masks',
    variables: [integer(5, 80), boolean(), category(3), float(1.5, 4)],
    objectives: withinPercent(epidemicPolicy(epidemicTruth), 2),
    start: [60, 0, 2, 3.5],
    known: epidemicTruth,
    evaluate: epidemicPolicy,
  },
  {
    name: 'cantilever-choice',
    source: 'Blevins (1979), Formulas for natural frequency and mode shape; profile and metal as categories',
    variables: [category(4), category(3), integer(0, 6), float(0.5, 2), float(30, 120), float(1, 8)],
    objectives: withinPercent(cantilever(cantileverTruth), 1),
    start: [0, 0, 1, 0.8, 100, 6],
    known: cantileverTruth,
    evaluate: cantilever,
  },
  {
    name: 'function-choice',
    source: 'Ru, Alvi, Nguyen, Osborne, Roberts (2020), CoCaBO, Func-2C in the spirit of; two choices, two floats',
    variables: [category(3), category(3), ...floats(2, -2, 2)],
    objectives: [minimize(-8)],
    start: [0, 2, 1.5, -1.5],
    known: [1, 1, 0.0898, -0.7126],
    evaluate: ([first, second, x, y]) => [functionChoice(first!, x!, y!) + functionChoice(second!, x!, y!) * 0.5],
  },
  {
    name: 'low-autocorrelation-signs',
    source: 'Golay (1982), The merit factor of long low autocorrelation binary sequences; 13 signs as booleans',
    variables: Array.from({ length: 13 }, boolean),
    objectives: within([0, 0, 0, 0, 0], 1),
    start: [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
    known: [1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1],
    evaluate: autocorrelations,
  },
  {
    name: 'integer-lattice',
    source: 'Brown almost-linear system (More, Garbow, Hillstrom 27) on whole numbers; targets chosen',
    variables: Array.from({ length: 5 }, () => integer(-10, 12)),
    objectives: exact(brownAlmostLinear(latticeTruth)),
    desiredL1Norm: 0.5,
    start: [0, 0, 0, 0, 0],
    known: latticeTruth,
    evaluate: brownAlmostLinear,
  },
]);
