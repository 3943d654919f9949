import { type FoundParameter, profileShape } from '../../../../presentation/fit-words.ts';
import { short } from '../../../../presentation/formats.ts';

const [WIDTH, HEIGHT] = [160, 48];

interface Props {
  readonly name: string;
  readonly parameter: FoundParameter;
  readonly threshold: number;
  readonly isLog: boolean;
}

/** The increase of chi-square with the input held and the others adapted; ends of the interval are on the dashed line. */
export function Profile({ name, parameter, threshold, isLog }: Props) {
  const shape = profileShape(parameter, threshold, isLog);
  if (shape === undefined) return null;
  const { profile } = parameter;
  const [first, last] = [profile[0]!, profile.at(-1)!];
  const end = ({ value, increase }: typeof first) => `${short(increase)} at ${short(value)}`;
  const level = shape.threshold * HEIGHT;
  const estimate = shape.estimate * WIDTH;
  return (
    <svg
      class="fit-profile"
      role="img"
      aria-label={`Profile of ${name}: chi-square rises by ${end(first)} and by ${end(last)}; an interval ends at ${short(threshold)}`}
      viewBox={`-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`}
      width={WIDTH}
      height={HEIGHT}
    >
      <line class="fit-threshold" x1="0" x2={WIDTH} y1={level} y2={level} />
      <line class="fit-estimate" x1={estimate} x2={estimate} y1="0" y2={HEIGHT} />
      <polyline class="fit-line" points={shape.line.map(({ x, y }) => `${x * WIDTH},${y * HEIGHT}`).join(' ')} />
    </svg>
  );
}
