/** The chart of distances: a point per run on a log axis, and the best so far as a line. */
import { type Chart, drawSteps, type Plane } from '../../../parts/chart.ts';
import { BEYOND, type DistanceData, EXCLUDED, FAILED, type OtherDistances, placeOfOther, REPEAT } from './measures.ts';

const HEIGHT = 300;
/** Points are larger while they are few. */
const FEW = 300;

export function distanceChart(data: DistanceData): Chart {
  const { iterations, hasMet, best, floor, top, title, others } = data;
  const [first, last] = [(iterations[0] ?? 1) - others.values.length, iterations.at(-1) ?? 1];
  const room = Math.max(0.5, (last - first) * 0.01);
  return {
    x: { label: 'Run', from: first - room, to: last + room, isWhole: true },
    y: { label: title, from: floor, to: top, isLog: true, isMetBelow: hasMet },
    height: HEIGHT,
    draw: (plane) => {
      drawOthers(plane, others);
      drawPoints(plane, data);
      plane.context.strokeStyle = plane.colours.accent;
      drawSteps(plane, iterations, best);
    },
  };
}

function drawPoints({ context, shown, colours, top, x, y }: Plane, { iterations, values, marks }: DistanceData): void {
  const size = iterations.length > FEW ? 3 : 6;
  const half = size / 2;
  context.fillStyle = colours.mark;
  context.strokeStyle = colours.muted;
  context.lineWidth = 1;
  const failed = new Path2D();
  for (let row = 0; row < iterations.length; row++) {
    const iteration = iterations[row]!;
    if (iteration < shown.from || iteration > shown.to) continue;
    const value = values[row]!;
    // Failed runs have no distance: they are drawn at the upper edge.
    if (marks[row] === FAILED) addCross(failed, x(iteration), top + 6);
    else if (marks[row] === EXCLUDED || marks[row] === BEYOND)
      context.strokeRect(x(iteration) - half, y(value) - half, size, size);
    else if (Number.isNaN(value)) continue;
    else if (marks[row] === REPEAT) {
      context.beginPath();
      context.arc(x(iteration), y(value), half + 0.5, 0, 2 * Math.PI);
      context.fill();
    } else context.fillRect(x(iteration) - half, y(value) - half, size, size);
  }
  context.strokeStyle = colours.unmet;
  context.lineWidth = 1.5;
  context.stroke(failed);
}

/** Other runs of the trial: grey, before run 1. */
function drawOthers({ context, shown, colours, top, x, y }: Plane, others: OtherDistances): void {
  const { values, marks } = others;
  const size = values.length > FEW ? 3 : 6;
  const failed = new Path2D();
  context.fillStyle = colours.muted;
  context.globalAlpha = 0.5;
  for (let row = 0; row < values.length; row++) {
    const place = placeOfOther(others, row);
    if (place < shown.from || place > shown.to) continue;
    if (marks[row] === FAILED) addCross(failed, x(place), top + 6);
    else if (marks[row] !== EXCLUDED && !Number.isNaN(values[row]!)) {
      context.fillRect(x(place) - size / 2, y(values[row]!) - size / 2, size, size);
    }
  }
  context.strokeStyle = colours.muted;
  context.stroke(failed);
  context.globalAlpha = 1;
}

function addCross(path: Path2D, x: number, y: number): void {
  const arm = 3.5;
  path.moveTo(x - arm, y - arm);
  path.lineTo(x + arm, y + arm);
  path.moveTo(x - arm, y + arm);
  path.lineTo(x + arm, y - arm);
}
