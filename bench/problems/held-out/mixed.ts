/** Catalogues, counts and yes-or-no decisions beside floats. */
import {
  atLeast,
  atMost,
  boolean,
  category,
  defineProblems,
  float,
  integer,
  maximize,
  minimize,
  within,
  withinPercent,
} from '../problem.ts';
import { type Surface, traceRay } from './lens.ts';

/**
 * Multiple-disc clutch brake (Osyczka 2002): inner and outer radius (mm), thickness (half millimetres), force (10 N),
 * friction surfaces.
 *
 * @returns mass (kg), difference of the radii (mm), length (mm), pressure times speed (MPa m/s), stopping time (s),
 *   braking torque (N m)
 */
function clutchBrake([inner, outer, halves, tens, surfaces]: readonly number[]): number[] {
  const [thickness, force] = [halves! / 2, 10 * tens!];
  const squares = outer! ** 2 - inner! ** 2;
  const cubes = outer! ** 3 - inner! ** 3;
  const torque = ((2 / 3) * 0.5 * force * surfaces! * cubes) / squares / 1000;
  const speed = (2 * Math.PI * 250 * cubes) / (90 * squares) / 1000;
  return [
    Math.PI * squares * thickness * (surfaces! + 1) * 7.8e-6,
    outer! - inner!,
    (surfaces! + 1) * (thickness + 0.5),
    (force / (Math.PI * squares)) * speed,
    (55 * Math.PI * 250) / (30 * (torque + 3)),
    torque,
  ];
}

/** Workers by the weekday on which their five days begin to the workers present on each day, and all of them. */
function weeklyStaff(starters: readonly number[]): number[] {
  const present = starters.map((_, day) =>
    starters.reduce((total, count, first) => ((day - first + 7) % 7 < 5 ? total + count : total), 0),
  );
  return [starters.reduce((total, count) => total + count, 0), ...present];
}

const modules = [1.5, 2, 2.5, 3, 4];
/** Quenched and tempered steel, case-hardened steel, cast iron: bending strength (MPa), density (kg/m3), price per kg. */
const gearMaterials = [
  { strength: 200, density: 7850, price: 2.2 },
  { strength: 310, density: 7850, price: 3.6 },
  { strength: 90, density: 7200, price: 1.3 },
];
/**
 * Two-stage spur gearbox for 60 N m by the Lewis equation: four numbers of teeth, module, material, face width (mm).
 *
 * @returns ratio, utilization of the pinions of both stages, sum of the centre distances (mm), price of the gears
 */
function gearbox([z1, z2, z3, z4, moduleCode, materialCode, width]: readonly number[]): number[] {
  const size = modules[moduleCode!]!;
  const { strength, density, price } = gearMaterials[materialCode!]!;
  const utilization = (teeth: number, torque: number) => {
    const force = (2000 * torque) / (size * teeth);
    return force / (width! * size * (0.484 - 2.87 / teeth)) / strength;
  };
  const volume = ((Math.PI / 4) * width! * size * size * (z1! ** 2 + z2! ** 2 + z3! ** 2 + z4! ** 2)) / 1e9;
  return [
    (z2! * z4!) / (z1! * z3!),
    utilization(z1!, 60),
    utilization(z3!, (60 * z2!) / z1!),
    (size * (z1! + z2! + z3! + z4!)) / 2,
    density * volume * price,
  ];
}

/** Index at the d line and Abbe number of N-K5, N-BK7, N-BAK4, N-SK16 and of LLF1, F2, SF2, SF5, SF10. */
const crowns = [
  [1.52249, 59.48],
  [1.5168, 64.17],
  [1.56883, 55.98],
  [1.62041, 60.32],
] as const;
const flints = [
  [1.54814, 45.75],
  [1.62004, 36.37],
  [1.64769, 33.85],
  [1.6727, 32.21],
  [1.72825, 28.41],
] as const;
/**
 * Cemented doublet of diameter 20: glasses and three curvatures (1 / m).
 *
 * @returns focal length (mm), chromatic shift of the focus from C to F (mm), spherical aberration along the axis (mm),
 *   difference between marginal and paraxial focal length (mm); null when a ray does not pass
 */
function doublet([crown, flint, c1, c2, c3]: readonly number[]): number[] | null {
  const lens = (line: number): Surface[] => {
    // Line 0 is d; F and C share the dispersion as in ordinary glass, about 7 to 3.
    const index = ([n, abbe]: readonly [number, number]) => n + (line * (n - 1)) / abbe;
    return [
      { curvature: c1! / 1000, distance: 6, index: index(crowns[crown!]!) },
      { curvature: c2! / 1000, distance: 3, index: index(flints[flint!]!) },
      { curvature: c3! / 1000, distance: 0, index: 1 },
    ];
  };
  const paraxial = (line: number) => traceRay(lens(line), 0.01, 0);
  const [d, f, c, marginal] = [paraxial(0), paraxial(0.7), paraxial(-0.3), traceRay(lens(0), 10, 0)];
  if (!d || !f || !c || !marginal) return null;
  const focus = (ray: { height: number; slope: number }) => -ray.height / ray.slope;
  return [-0.01 / d.sine, focus(f) - focus(c), focus(marginal) - focus(d), -10 / marginal.sine + 0.01 / d.sine];
}

/** Present value, outlay in two years (thousands) and engineers of twelve projects. */
const projects = [
  [14, 12, 3, 2],
  [17, 54, 7, 5],
  [17, 6, 6, 3],
  [15, 6, 2, 2],
  [40, 30, 35, 6],
  [12, 6, 6, 1],
  [14, 48, 4, 4],
  [10, 36, 3, 3],
  [12, 18, 3, 2],
  [22, 20, 14, 4],
  [27, 16, 22, 5],
  [9, 8, 2, 1],
] as const;
function budget(choice: readonly number[]): number[] {
  return [0, 1, 2, 3].map((column) =>
    projects.reduce((total, project, i) => total + (choice[i]! >= 0.5 ? project[column]! : 0), 0),
  );
}

/** Extra activation energy of eight catalysts, kJ/mol. */
const barriers = [0, 0.3, 0.3, 0.7, 0.7, 2.2, 3.8, 7.3];
/**
 * Coupling A -> P beside the loss of product P -> W in a plug flow: catalyst, its concentration (mmol/l), residence time
 * (min), temperature (C).
 *
 * @returns yield (percent), turnover number, waste (percent)
 */
function coupling([catalyst, concentration, minutes, celsius]: readonly number[]): number[] {
  const thermal = 8.314e-3 * (celsius! + 273.15);
  const k1 = 1.2e8 * Math.sqrt(concentration! / 1000) * Math.exp(-(47 + barriers[catalyst!]!) / thermal);
  const k2 = 1.2e10 * Math.exp(-(84 - 0.5 * barriers[catalyst!]!) / thermal);
  const [left, lost] = [Math.exp(-k1 * minutes!), Math.exp(-k2 * minutes!)];
  const share = Math.abs(k2 - k1) < 1e-12 ? k1 * minutes! * left : (k1 / (k2 - k1)) * (left - lost);
  return [100 * share, (167 * share) / concentration!, 100 * (1 - left - share)];
}

export const mixedProblems = defineProblems('mixed', [
  {
    name: 'clutch-brake',
    source: 'Osyczka (2002); Deb, Srinivasan (2006), Innovization; mass of at best 0.3137 kg at steps of the catalogue',
    variables: [integer(60, 80), integer(90, 110), integer(2, 6), integer(60, 100), integer(2, 10)],
    objectives: [minimize(0.34), atLeast(20), atMost(30), atMost(10), atMost(15), atLeast(60)],
    start: [65, 105, 5, 80, 8],
    known: [70, 90, 2, 81, 3],
    evaluate: clutchBrake,
  },
  {
    name: 'weekly-staff',
    source: 'Winston (2004), Operations research, post office problem; at best 23 workers',
    variables: Array.from({ length: 7 }, () => integer(0, 12)),
    objectives: [minimize(24), ...[17, 13, 15, 19, 14, 16, 11].map(atLeast)],
    start: [4, 4, 4, 4, 4, 4, 4],
    known: [4, 4, 2, 6, 0, 4, 3],
    evaluate: weeklyStaff,
  },
  {
    name: 'gearbox-catalogue',
    source: 'Shigley, Mechanical engineering design; two spur stages, Lewis equation, modules and materials to choose',
    variables: [
      integer(17, 30),
      integer(34, 110),
      integer(17, 30),
      integer(34, 110),
      category(5),
      category(3),
      float(15, 60),
    ],
    objectives: [...withinPercent([14.2], 0.8), atMost(1), atMost(1), atMost(300), atMost(48)],
    start: [24, 60, 24, 60, 0, 2, 20],
    known: [17, 49, 19, 93, 3, 0, 30.685],
    evaluate: gearbox,
  },
  {
    name: 'doublet-glasses',
    source: 'Conrady (1929), Applied optics and optical design; cemented achromat, Schott glasses as categories',
    variables: [category(4), category(5), float(4, 30), float(-40, -4), float(-16, 6)],
    objectives: [...withinPercent([100], 0.5), ...within([0], 0.06), ...within([0], 0.15), ...within([0], 0.25)],
    start: [3, 0, 10, -10, 2],
    known: [2, 3, 19.49127, -22.8112, -1.805469],
    evaluate: doublet,
  },
  {
    name: 'capital-budget',
    source: 'Lorie, Savage (1955), Three problems in rationing capital; nine of theirs and three more, with staff',
    variables: Array.from({ length: 12 }, boolean),
    objectives: [maximize(85), atMost(70), atMost(40), atMost(14)],
    start: [1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0],
    known: [1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0],
    evaluate: budget,
  },
  {
    name: 'catalyst-choice',
    source: 'Baumgartner, Coley, Reizman, Gao, Jensen (2018), Optimum catalyst selection; constants ours',
    variables: [category(8), float(0.8, 4.2), float(1, 10), float(30, 110)],
    objectives: [maximize(94), atLeast(90), atMost(4)],
    start: [6, 3, 3, 50],
    known: [0, 1.790653, 10, 75.24226],
    evaluate: coupling,
  },
]);
