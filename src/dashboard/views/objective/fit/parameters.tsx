/** Shows what the data tell about the inputs: estimates, intervals, profiles, correlations, and outputs that were not fitted. */
import type { FitParameters } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { classText, correlationTexts, type FoundFit, intervalText } from '../../../../presentation/fit-words.ts';
import { short, titled } from '../../../../presentation/formats.ts';
import { inputNames, inputText, outputNames } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { InputValues } from '../by-hand/input-values.tsx';
import { type Answered, Ask } from '../further/answer.tsx';
import { ConfidenceField } from '../further/confidence-field.tsx';
import { Profile } from './profile.tsx';

const LISTED_OUTPUTS = 40;

interface Props {
  readonly head: Head;
  readonly answered: Answered<FitParameters>;
  /** In percent. */
  readonly confidence: number;
  onConfidence(percent: number): void;
}

export function Parameters({ head, answered, confidence, onConfidence }: Props) {
  const { answer } = answered;
  return (
    <>
      <h3>What the data tell about the inputs</h3>
      <Ask of={answered}>
        <ConfidenceField label="Confidence of the intervals, %" value={confidence} usual={95} onChange={onConfidence} />
      </Ask>
      {answer?.fit === null && <p>No run meets all other targets yet.</p>}
      {answer?.fit != null && <Found head={head} found={answer.fit} confidence={answer.confidence} />}
    </>
  );
}

interface FoundProps {
  readonly head: Head;
  readonly found: FoundFit;
  readonly confidence: number;
}

function Found({ head, found, confidence }: FoundProps) {
  const { parameters, correlations, combinations, sentences, verify } = found;
  const told = parameters.filter(({ kind }) => kind !== 'held').length + combinations.length;
  const next = sentences[told];
  const pairs = correlationTexts(head, correlations);
  return (
    <>
      <ParameterTable head={head} found={found} confidence={confidence} />
      <ul>
        {[...sentences.slice(0, told), ...pairs].map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {next !== undefined && (
        <>
          <h3>The most informative run</h3>
          <p>{next} Add its outputs as data, then compute again.</p>
          <InputValues head={head} input={verify[0]!.at} />
        </>
      )}
      <NotFitted head={head} found={found} />
    </>
  );
}

function ParameterTable({ head, found: { parameters, threshold }, confidence }: FoundProps) {
  const names = inputNames(head);
  return (
    <ScrollBox label="Estimates of the inputs">
      <table class="fit-parameters">
        <TableHead
          titles={['Input', 'Estimate', 'Standard error', `${short(100 * confidence)} % interval`, 'Class', 'Profile']}
          numbers={['Estimate', 'Standard error']}
        />
        <tbody>
          {parameters.map((parameter, i) => {
            const { estimate, standardError } = parameter;
            return (
              <tr key={names[i]}>
                <th scope="row">{titled(names[i]!, head.inputUnits?.[i])}</th>
                <td class="number" title={String(estimate)}>
                  {inputText(head, i, estimate)}
                </td>
                <td class="number" title={standardError === null ? undefined : String(standardError)}>
                  {standardError === null ? '–' : short(standardError)}
                </td>
                <td class="nowrap">{intervalText(head, parameter)}</td>
                <td>{classText(parameter)}</td>
                <td>
                  <Profile
                    name={names[i]!}
                    parameter={parameter}
                    threshold={threshold}
                    isLog={head.scales?.[i] === 'log'}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Outputs that belong to no data set, as the models predict them for the inputs that the data allow. */
function NotFitted({ head, found: { outputs } }: Pick<FoundProps, 'head' | 'found'>) {
  const fitted = new Set(head.fits?.flatMap((set) => set.outputs));
  const others = outputs.filter(({ output }) => !fitted.has(output));
  if (others.length === 0) return null;
  const names = outputNames(head);
  return (
    <>
      <h3>Outputs that were not fitted</h3>
      <ul>
        {others.slice(0, LISTED_OUTPUTS).map(({ output, predicted, low, high, isKnown }) => (
          <li key={output}>
            {titled(names[output]!, head.outputUnits?.[output])}: {short(predicted)},{' '}
            {isKnown ? `from ${short(low)} to ${short(high)}` : 'an interval is not known'}
          </li>
        ))}
      </ul>
    </>
  );
}
