/** Search options beyond the targets, in the form of a new problem and in the dialog that changes targets. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { NO_OPTIONS, type OptionsDraft } from './draft.ts';
import './more-options.css';
import { type Described, Ends, Importance, Noise, type Props, Solutions, Tolerances } from './option-fields.tsx';
import { hasStopRule } from './options.ts';

interface Question {
  readonly text: string;
  /** Whether the field at a path belongs to it. */
  has(path: string): boolean;
  /** Options of the question, and what they are without it. */
  isAsked(draft: Described): boolean;
  without(draft: Described): Partial<Described>;
  readonly Fields: (props: Props) => JSX.Element;
}

const textsIn = (rows: readonly string[]) => rows.some((text) => text.trim() !== '');
const options = (draft: Described, change: Partial<OptionsDraft>) => ({ options: { ...draft.options, ...change } });
/** The options as they are where nothing is asked. */
const unasked = <Name extends keyof OptionsDraft>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, NO_OPTIONS[name]])) as Pick<OptionsDraft, Name>;

const QUESTIONS: readonly Question[] = [
  {
    text: 'Are the runs noisy?',
    has: (path) => /^options\/(noise|sure|confi)|\/deviation$/.test(path),
    isAsked: ({ options: { noise, sure } }) => noise !== 'none' || sure !== 'run',
    without: (draft) => options(draft, unasked('noise', 'sure', 'confirm', 'confidence', 'confidenceOf')),
    Fields: Noise,
  },
  {
    text: 'Do some outputs matter more than others?',
    has: (path) => /\/(weight|priority)$/.test(path),
    isAsked: ({ outputs }) => outputs.some(({ weight, priority }) => weight.trim() !== '' || priority !== '1'),
    without: ({ outputs }) => ({ outputs: outputs.map((output) => ({ ...output, weight: '', priority: '1' })) }),
    Fields: Importance,
  },
  {
    text: 'May the search end before its last run?',
    has: (path) => /^options\/(patience|improvementBelow|until|maximumRuns)$/.test(path),
    isAsked: ({ options: { endsByEvidence, ...rules } }) => endsByEvidence || hasStopRule(rules),
    without: (draft) =>
      options(draft, unasked('endsByEvidence', 'patience', 'improvementBelow', 'until', 'maximumRuns')),
    Fields: Ends,
  },
  {
    text: 'Do you want several solutions?',
    has: (path) => /^options\/(solutionCount|apart)$/.test(path),
    isAsked: ({ options: { solutionCount, apart } }) => textsIn([solutionCount, apart]),
    without: (draft) => options(draft, unasked('solutionCount', 'apart')),
    Fields: Solutions,
  },
  {
    text: 'Are the inputs made with tolerances?',
    has: (path) => /^options\/(tolerance|aim|robustRuns)|\/tolerance$/.test(path),
    isAsked: ({ inputs, options: { aimsAtSurest, aim, robustRuns } }) =>
      aimsAtSurest || textsIn([aim, robustRuns, ...inputs.map(({ tolerance }) => tolerance)]),
    without: (draft) => ({
      ...options(draft, unasked('toleranceKind', 'toleranceIn', 'aimsAtSurest', 'aim', 'robustRuns')),
      inputs: draft.inputs.map((input) => ({ ...input, tolerance: '' })),
    }),
    Fields: Tolerances,
  },
];

/** One switch for each question; its options show while it is on. */
export function MoreOptions(props: Props) {
  return (
    <section class="more-options" aria-label="More about the search">
      {QUESTIONS.map((question) => (
        <Asked key={question.text} question={question} {...props} />
      ))}
    </section>
  );
}

function Asked({ question, ...props }: Props & { readonly question: Question }) {
  const { text, has, isAsked, without, Fields } = question;
  const isStated = isAsked(props.draft);
  const [isOn, setOn] = useState(isStated);
  const isShown = isOn || isStated || Object.keys(props.faults).some(has);
  const turn = () => {
    setOn(!isShown);
    if (isShown && isStated) props.onChange(without(props.draft), Object.keys(props.faults).find(has) ?? 'options');
  };
  return (
    <fieldset>
      <legend>
        <label class="choice">
          <input type="checkbox" role="switch" aria-checked={isShown} checked={isShown} onChange={turn} />
          <span>{text}</span>
        </label>
      </legend>
      {isShown && <Fields {...props} />}
    </fieldset>
  );
}
