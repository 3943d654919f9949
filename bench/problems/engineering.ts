/** Design formulas that problems of several families use. Inputs and outputs are in the units of the source. */

/**
 * Welded beam (Ragsdell, Phillips 1976; Deb 2000): weld height h, weld length l, bar height t, bar width b, inches.
 *
 * @returns cost, shear stress (psi), bending stress (psi), h - b, deflection (in), buckling load (lb)
 */
export function weldedBeam([h, l, t, b]: readonly number[]): number[] {
  const load = 6000;
  const arm = 14;
  const primary = load / (Math.SQRT2 * h! * l!);
  const radius = Math.sqrt((l! * l!) / 4 + ((h! + t!) / 2) ** 2);
  const polar = 2 * Math.SQRT2 * h! * l! * ((l! * l!) / 12 + ((h! + t!) / 2) ** 2);
  const secondary = (load * (arm + l! / 2) * radius) / polar;
  const shear = Math.sqrt(primary ** 2 + (primary * secondary * l!) / radius + secondary ** 2);
  const bending = (6 * load * arm) / (b! * t! * t!);
  const deflection = (4 * load * arm ** 3) / (30e6 * t! ** 3 * b!);
  const buckling =
    ((4.013 * 30e6 * Math.sqrt((t! * t! * b! ** 6) / 36)) / arm ** 2) * (1 - (t! / (2 * arm)) * Math.sqrt(30 / 48));
  const cost = 1.10471 * h! * h! * l! + 0.04811 * t! * b! * (arm + l!);
  return [cost, shear, bending, h! - b!, deflection, buckling];
}

/**
 * Pressure vessel (Sandgren 1990): shell and head thickness, inner radius, length of the cylinder, inches.
 *
 * @returns cost, shell thickness - 0.0193 r, head thickness - 0.00954 r, volume (cubic inches)
 */
export function pressureVessel([shell, head, radius, length]: readonly number[]): number[] {
  const cost =
    0.6224 * shell! * radius! * length! +
    1.7781 * head! * radius! ** 2 +
    3.1661 * shell! ** 2 * length! +
    19.84 * shell! ** 2 * radius!;
  const volume = Math.PI * radius! ** 2 * length! + (4 / 3) * Math.PI * radius! ** 3;
  return [cost, shell! - 0.0193 * radius!, head! - 0.00954 * radius!, volume];
}

/**
 * Tension spring (Arora 1989; Belegundu 1982): wire diameter d, coil diameter D, active coils N.
 *
 * @returns weight and the four constraints, each to be at most 0
 */
export function spring([d, D, N]: readonly number[]): number[] {
  return [
    (N! + 2) * D! * d! * d!,
    1 - (D! ** 3 * N!) / (71785 * d! ** 4),
    (4 * D! * D! - d! * D!) / (12566 * (D! * d! ** 3 - d! ** 4)) + 1 / (5108 * d! * d!) - 1,
    1 - (140.45 * d!) / (D! * D! * N!),
    (D! + d!) / 1.5 - 1,
  ];
}

/**
 * Speed reducer (Golinski 1970): face width, module, teeth of the pinion, two shaft lengths, two shaft diameters.
 *
 * @returns weight and eleven constraints, each to be at most 0
 */
export function speedReducer([w, m, z, l1, l2, d1, d2]: readonly number[]): number[] {
  const weight =
    0.7854 * w! * m! ** 2 * (3.3333 * z! ** 2 + 14.9334 * z! - 43.0934) -
    1.508 * w! * (d1! ** 2 + d2! ** 2) +
    7.4777 * (d1! ** 3 + d2! ** 3) +
    0.7854 * (l1! * d1! ** 2 + l2! * d2! ** 2);
  return [
    weight,
    27 / (w! * m! ** 2 * z!) - 1,
    397.5 / (w! * m! ** 2 * z! ** 2) - 1,
    (1.93 * l1! ** 3) / (m! * z! * d1! ** 4) - 1,
    (1.93 * l2! ** 3) / (m! * z! * d2! ** 4) - 1,
    Math.sqrt(((745 * l1!) / (m! * z!)) ** 2 + 16.9e6) / (110 * d1! ** 3) - 1,
    Math.sqrt(((745 * l2!) / (m! * z!)) ** 2 + 157.5e6) / (85 * d2! ** 3) - 1,
    (m! * z!) / 40 - 1,
    (5 * m!) / w! - 1,
    w! / (12 * m!) - 1,
    (1.5 * d1! + 1.9) / l1! - 1,
    (1.1 * d2! + 1.9) / l2! - 1,
  ];
}

/**
 * Car side impact (Gu et al. 2001), the regression formulas with the noise factors at their nominal values; seven
 * thicknesses, materials at their nominal yield stress.
 *
 * @returns weight and ten responses (abdomen load, three viscous criteria, three rib deflections, pubic force, two velocities)
 */
export function sideImpact([a, b, c, d, e, f, g]: readonly number[]): number[] {
  const steel = 0.345;
  const mild = 0.192;
  return [
    1.98 + 4.9 * a! + 6.67 * b! + 6.98 * c! + 4.01 * d! + 1.78 * e! + 2.73 * g!,
    1.16 - 0.3717 * b! * d! - 0.484 * c! * mild,
    0.261 - 0.0159 * a! * b! - 0.188 * a! * steel - 0.019 * b! * g! + 0.0144 * c! * e!,
    0.214 +
      0.00817 * e! -
      0.131 * a! * steel -
      0.0704 * a! * mild +
      0.03099 * b! * f! -
      0.018 * b! * g! +
      0.0208 * c! * steel +
      0.121 * c! * mild -
      0.00364 * e! * f!,
    0.74 - 0.61 * b! - 0.163 * c! * steel - 0.166 * g! * mild + 0.227 * b! ** 2,
    28.98 + 3.818 * c! - 4.2 * a! * b! + 6.63 * f! * mild - 7.77 * g! * steel,
    33.86 + 2.95 * c! - 5.057 * a! * b! - 11 * b! * steel - 9.98 * g! * steel + 22 * steel * mild,
    46.36 - 9.9 * b! - 12.9 * a! * steel,
    4.72 - 0.5 * d! - 0.19 * b! * c!,
    10.58 - 0.674 * a! * b! - 1.95 * b! * steel,
    16.45 - 0.489 * c! * g! - 0.843 * e! * f!,
  ];
}
