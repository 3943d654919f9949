/** Curves fitted to published measurements; tolerances somewhat above the largest deviation of the published fit. */
import { defineProblems, float, within } from '../problem.ts';

const nist = (name: string) => `NIST Statistical Reference Datasets, ${name}`;

const pastureTimes = [9, 14, 21, 28, 42, 57, 63, 70, 79];
const pastureData = [8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08];

const eckerleLengths = [
  400, 405, 410, 415, 420, 425, 430, 435, 436.5, 438, 439.5, 441, 442.5, 444, 445.5, 447, 448.5, 450, 451.5, 453, 454.5,
  456, 457.5, 459, 460.5, 462, 463.5, 465, 470, 475, 480, 485, 490, 495, 500,
];
const eckerleData = [
  0.0001575, 0.0001699, 0.000235, 0.0003102, 0.0004917, 0.000871, 0.0017418, 0.00464, 0.0065895, 0.0097302, 0.0149002,
  0.023731, 0.0401683, 0.0712559, 0.1264458, 0.2073413, 0.2902366, 0.3445623, 0.3698049, 0.3668534, 0.3106727,
  0.2078154, 0.1164354, 0.0616764, 0.03372, 0.0194023, 0.0117831, 0.0074357, 0.0022732, 0.00088, 0.0004579, 0.0002345,
  0.0001586, 0.0001143, 0.000071,
];

const thurberDensities = [
  -3.067, -2.981, -2.921, -2.912, -2.84, -2.797, -2.702, -2.699, -2.633, -2.481, -2.363, -2.322, -1.501, -1.46, -1.274,
  -1.212, -1.1, -1.046, -0.915, -0.714, -0.566, -0.545, -0.4, -0.309, -0.109, -0.103, 0.01, 0.119, 0.377, 0.79, 0.963,
  1.006, 1.115, 1.572, 1.841, 2.047, 2.2,
];
const thurberData = [
  80.574, 84.248, 87.264, 87.195, 89.076, 89.608, 89.868, 90.101, 92.405, 95.854, 100.696, 101.06, 401.672, 390.724,
  567.534, 635.316, 733.054, 759.087, 894.206, 990.785, 1090.109, 1080.914, 1122.643, 1178.351, 1260.531, 1273.514,
  1288.339, 1327.543, 1353.863, 1414.509, 1425.208, 1421.384, 1442.962, 1464.35, 1468.705, 1447.894, 1457.628,
];

const cellVoltages = [
  -0.2057, -0.1291, -0.0588, 0.0057, 0.0646, 0.1185, 0.1678, 0.2132, 0.2545, 0.2924, 0.3269, 0.3585, 0.3873, 0.4137,
  0.4373, 0.459, 0.4784, 0.496, 0.5119, 0.5265, 0.5398, 0.5521, 0.5633, 0.5736, 0.5833, 0.59,
];
const cellCurrents = [
  0.764, 0.762, 0.7605, 0.7605, 0.76, 0.759, 0.757, 0.757, 0.7555, 0.754, 0.7505, 0.7465, 0.7385, 0.728, 0.7065, 0.6755,
  0.632, 0.573, 0.499, 0.413, 0.3165, 0.212, 0.1035, -0.01, -0.123, -0.21,
];
/** k T / q at 33 C, volts. */
const THERMAL = (1.380649e-23 * 306.15) / 1.602176634e-19;

/** Photo current (A), saturation current (uA), series and shunt resistance (ohm), ideality to currents at the voltages. */
function solarCell([photo, saturation, series, shunt, ideality]: readonly number[]): number[] {
  return cellVoltages.map((voltage) => {
    const surplus = (current: number) => {
      const inner = voltage + current * series!;
      return photo! - saturation! * 1e-6 * Math.expm1(inner / (ideality! * THERMAL)) - inner / shunt! - current;
    };
    // The surplus falls with the current: bisection to the last digit.
    let [low, high] = [-20, 3];
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (surplus(middle) > 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  });
}

const lanczosTimes = Array.from({ length: 24 }, (_, i) => 0.05 * i);
const lanczosTruth = [0.0951, 1, 0.8607, 3, 1.5576, 5];
function lanczos(x: readonly number[]): number[] {
  return lanczosTimes.map(
    (t) => x[0]! * Math.exp(-x[1]! * t) + x[2]! * Math.exp(-x[3]! * t) + x[4]! * Math.exp(-x[5]! * t),
  );
}

export const toleranceProblems = defineProblems('tolerance', [
  {
    name: 'rat42-pasture',
    source: nist('Rat42'),
    variables: [float(40, 140), float(0.5, 5), float(0.01, 0.2)],
    objectives: within(pastureData, 2),
    start: [100, 1, 0.15],
    known: [72.462237576, 2.6180768402, 0.067359200066],
    evaluate: ([a, b, c]) => pastureTimes.map((t) => a! / (1 + Math.exp(b! - c! * t))),
  },
  {
    name: 'eckerle4-transmittance',
    source: nist('Eckerle4'),
    variables: [float(0.3, 4), float(1, 15), float(430, 480)],
    objectives: within(eckerleData, 0.025),
    start: [1, 10, 470],
    known: [1.5543827178, 4.0888321754, 451.54121844],
    evaluate: ([a, b, c]) => eckerleLengths.map((x) => (a! / b!) * Math.exp(-(((x - c!) / b!) ** 2) / 2)),
  },
  {
    name: 'thurber-mobility',
    source: nist('Thurber'),
    variables: [
      float(800, 1800),
      float(800, 2200),
      float(200, 900),
      float(20, 130),
      float(0.4, 1.5),
      float(0.1, 0.9),
      float(0, 0.12),
    ],
    objectives: within(thurberData, 45),
    start: [1000, 1000, 400, 40, 0.7, 0.3, 0.03],
    known: [1288.13968, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797, 0.049727297349],
    evaluate: ([a, b, c, d, e, f, g]) =>
      thurberDensities.map((x) => (a! + b! * x + c! * x ** 2 + d! * x ** 3) / (1 + e! * x + f! * x ** 2 + g! * x ** 3)),
  },
  {
    name: 'lanczos-exponentials',
    source: `Lanczos (1956), Applied analysis; ${nist('Lanczos1')}`,
    variables: [float(0, 2), float(0, 3), float(0, 3), float(1, 6), float(0, 3), float(3, 9)],
    objectives: within(lanczos(lanczosTruth), 5e-3),
    start: [1.2, 0.3, 0.3, 5.6, 2.5, 7.6],
    known: lanczosTruth,
    evaluate: lanczos,
  },
  {
    name: 'solar-cell',
    source: 'Easwarakhanthan, Bottin, Bouhouch, Boutrit (1986); RTC France cell at 33 C, one diode',
    variables: [float(0.5, 1), float(0.01, 1), float(0, 0.2), float(5, 100), float(1, 2)],
    objectives: within(cellCurrents, 0.005),
    start: [0.6, 0.8, 0.15, 20, 1.2],
    known: [0.760776, 0.323021, 0.036377, 53.7185, 1.481184],
    evaluate: solarCell,
  },
]);
