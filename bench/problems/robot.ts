/** Forward kinematics of robot arms; angles in radians, lengths in metres. */

/** Tip of a planar chain: x, y and the orientation of the last link. */
export function planarArm(lengths: readonly number[], joints: readonly number[]): [number, number, number] {
  let [x, y, angle] = [0, 0, 0];
  joints.forEach((joint, i) => {
    angle += joint;
    x += lengths[i]! * Math.cos(angle);
    y += lengths[i]! * Math.sin(angle);
  });
  return [x, y, angle];
}

/** Denavit-Hartenberg rows of the Unimate Puma 560 (Craig, Introduction to robotics): twist, length, offset. */
const puma = [
  [Math.PI / 2, 0, 0],
  [0, 0.4318, 0],
  [-Math.PI / 2, 0.0203, 0.15005],
  [Math.PI / 2, 0, 0.4318],
  [-Math.PI / 2, 0, 0],
  [0, 0, 0.1],
] as const;

/**
 * Pose of the Puma 560 with a tool of 0.1 m.
 *
 * @param joints six angles
 * @returns position x, y, z (m), then the approach vector (3) and one component of the normal vector
 */
export function pumaPose(joints: readonly number[]): number[] {
  let rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  let position = [0, 0, 0];
  joints.forEach((joint, i) => {
    const [twist, length, offset] = puma[i]!;
    const [ct, st, ca, sa] = [Math.cos(joint), Math.sin(joint), Math.cos(twist), Math.sin(twist)];
    const local = [ct, -st * ca, st * sa, st, ct * ca, -ct * sa, 0, sa, ca];
    const shift = [length * ct, length * st, offset];
    position = [0, 1, 2].map(
      (r) => position[r]! + shift.reduce((total, value, k) => total + rotation[3 * r + k]! * value, 0),
    );
    rotation = local.map((_, at) => {
      const row = 3 * Math.floor(at / 3);
      return (
        rotation[row]! * local[at % 3]! +
        rotation[row + 1]! * local[3 + (at % 3)]! +
        rotation[row + 2]! * local[6 + (at % 3)]!
      );
    });
  });
  return [...position, rotation[2]!, rotation[5]!, rotation[8]!, rotation[0]!];
}
