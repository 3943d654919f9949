/** The fields of the search options, a component for each question. */
import { titled } from '../../../presentation/formats.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { type Draft, namesOfRows, type OptionsDraft } from './draft.ts';
import { fieldId } from './fields.tsx';
import { hasStopRule } from './options.ts';
import type { Faults } from './requests.ts';

export type Described = Pick<Draft, 'inputs' | 'outputs' | 'options'>;

export interface Props {
  readonly draft: Described;
  readonly faults: Faults;
  /** @param path  the field that has changed */
  onChange(change: Partial<Described>, path: string): void;
}

type TextName = Exclude<keyof OptionsDraft, 'endsByEvidence' | 'aimsAtSurest'>;

/** A field for one of the options. */
function Field(props: Props & { readonly name: TextName; readonly label: string; readonly hint: string }) {
  const { draft, faults, onChange, name, label, hint } = props;
  const path = `options/${name}`;
  return (
    <NumberField
      id={fieldId(path)}
      name={label}
      text={draft.options[name]}
      fault={faults[path]}
      hint={hint}
      onText={(text) => onChange({ options: { ...draft.options, [name]: text } }, path)}
    />
  );
}

interface ChoiceProps extends Props {
  readonly name: TextName;
  readonly label: string;
  readonly choices: Readonly<Record<string, string>>;
}

function Choice({ draft, faults, onChange, name, label, choices }: ChoiceProps) {
  const path = `options/${name}`;
  return (
    <div class="field">
      <label for={fieldId(path)}>{label}</label>
      <select
        {...stated(path, faults)}
        value={draft.options[name]}
        onChange={({ currentTarget }) => onChange({ options: { ...draft.options, [name]: currentTarget.value } }, path)}
      >
        {Object.entries(choices).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <FaultOf path={path} faults={faults} />
    </div>
  );
}

/** The attributes of a control that connect it with the fault at its path. */
function stated(path: string, faults: Faults) {
  const [id, isWrong] = [fieldId(path), faults[path] !== undefined];
  return { id, 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-fault` : undefined };
}

function FaultOf({ path, faults }: { readonly path: string; readonly faults: Faults }) {
  if (faults[path] === undefined) return null;
  return (
    <p id={`${fieldId(path)}-fault`} class="fault">
      {faults[path]}
    </p>
  );
}

interface CellProps {
  readonly path: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly faults: Faults;
  onText(text: string): void;
}

function Cell({ path, label, value, placeholder, faults, onText }: CellProps) {
  return (
    <td>
      <input
        {...stated(path, faults)}
        class="number"
        inputMode="decimal"
        autocomplete="off"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <FaultOf path={path} faults={faults} />
    </td>
  );
}

export function Noise(props: Props) {
  const { sure } = props.draft.options;
  return (
    <>
      <div class="field-grid">
        <Choice
          {...props}
          name="noise"
          label="Two runs at the same input"
          choices={{
            none: 'give the same outputs',
            estimate: 'differ: estimate by how much',
            stated: 'differ: standard deviations below',
          }}
        />
        <Choice
          {...props}
          name="sure"
          label="Satisfied when"
          choices={{
            run: 'one run meets all targets',
            mean: 'the mean of several runs meets them',
            probability: 'an input meets them with a probability of',
          }}
        />
        {sure === 'mean' && <Field {...props} name="confirm" label="Runs per input" hint="From 2 to 20." />}
        {sure === 'probability' && (
          <>
            <Field {...props} name="confidence" label="Probability" hint="From 0.5 to 0.999." />
            <Choice
              {...props}
              name="confidenceOf"
              label="Targets met by"
              choices={{ run: 'a new run', mean: 'the means of the outputs' }}
            />
          </>
        )}
      </div>
      {props.draft.options.noise === 'stated' && <Deviations {...props} />}
      <p class="hint">With the last two, inputs are repeated where that is most informative.</p>
    </>
  );
}

function Deviations({ draft: { outputs }, faults, onChange }: Props) {
  const names = namesOfRows(outputs, 'y');
  return (
    <div class="field-grid">
      {outputs.map((output, j) => (
        <NumberField
          key={output.key}
          id={fieldId(`outputs/${j}/deviation`)}
          name={`Standard deviation of ${names[j]}`}
          unit={output.unit}
          text={output.deviation}
          fault={faults[`outputs/${j}/deviation`]}
          onText={(deviation) =>
            onChange({ outputs: outputs.with(j, { ...output, deviation }) }, `outputs/${j}/deviation`)
          }
        />
      ))}
    </div>
  );
}

export function Importance({ draft, faults, onChange }: Props) {
  const { outputs } = draft;
  const names = namesOfRows(outputs, 'y');
  const set = (j: number, change: Partial<Draft['outputs'][number]>) =>
    onChange(
      { outputs: outputs.with(j, { ...outputs[j]!, ...change }) },
      `outputs/${j}/${Object.keys(change).join('')}`,
    );
  return (
    <>
      <div class="scroll-box">
        <table class="definitions">
          <TableHead titles={['Output', 'Weight', 'Priority']} />
          <tbody>
            {outputs.map(({ key, unit, weight, priority }, j) => (
              <tr key={key}>
                <th scope="row">{titled(names[j]!, unit)}</th>
                <Cell
                  path={`outputs/${j}/weight`}
                  label={`Weight of ${names[j]}`}
                  value={weight}
                  placeholder="1"
                  faults={faults}
                  onText={(text) => set(j, { weight: text })}
                />
                <td>
                  <select
                    {...stated(`outputs/${j}/priority`, faults)}
                    aria-label={`Priority of ${names[j]}`}
                    value={priority}
                    onChange={({ currentTarget }) => set(j, { priority: currentTarget.value as '1' })}
                  >
                    {['1', '2', '3'].map((value) => (
                      <option key={value}>{value}</option>
                    ))}
                  </select>
                  <FaultOf path={`outputs/${j}/priority`} faults={faults} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        A weight from 0.01 to 100 makes a miss count more or less. Outputs of priority 2 or 3 count little until a run
        has met all outputs before them.
      </p>
    </>
  );
}

export function Ends(props: Props) {
  const { draft, faults, onChange } = props;
  const { options } = draft;
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={options.endsByEvidence || hasStopRule(options)}
          disabled={hasStopRule(options)}
          onChange={({ currentTarget }) =>
            onChange({ options: { ...options, endsByEvidence: currentTarget.checked } }, 'options/patience')
          }
        />
        <span>Stop by evidence: when the best compromise is found, or no improvement is to be expected</span>
      </label>
      <div class="field-grid">
        <Field {...props} name="patience" label="Runs without improvement" hint="Suggested inputs in a row." />
        <Field
          {...props}
          name="improvementBelow"
          label="Improvement that counts"
          hint="Anything above this share; default: 0.005."
        />
        <div class="field">
          <label for={fieldId('options/until')}>Until</label>
          <input
            {...stated('options/until', faults)}
            type="datetime-local"
            value={options.until}
            onInput={({ currentTarget }) =>
              onChange({ options: { ...options, until: currentTarget.value } }, 'options/until')
            }
          />
          <p class="hint">In the time zone of this browser.</p>
          <FaultOf path="options/until" faults={faults} />
        </div>
        <Field {...props} name="maximumRuns" label="Total runs" hint="Including the first runs." />
      </div>
    </>
  );
}

export function Solutions(props: Props) {
  return (
    <div class="field-grid">
      <Field {...props} name="solutionCount" label="Solutions" hint="From 2 to 20; empty: stop at the first one." />
      <Field {...props} name="apart" label="Minimum distance" hint="A share of the ranges; default: 0.1." />
    </div>
  );
}

export function Tolerances(props: Props) {
  const { draft, faults, onChange } = props;
  const { inputs, options } = draft;
  const names = namesOfRows(inputs, 'x');
  const isPercent = options.toleranceIn === 'percent';
  return (
    <>
      <div class="field-grid">
        <Choice
          {...props}
          name="toleranceKind"
          label="Given as"
          choices={{ normal: 'standard deviations', uniform: 'half widths' }}
        />
        <Choice
          {...props}
          name="toleranceIn"
          label="In"
          choices={{ units: 'units of each input', percent: 'percent of its value' }}
        />
        {inputs.map(({ key, unit, type, tolerance }, i) =>
          type === 'boolean' || type === 'category' ? null : (
            <NumberField
              key={key}
              id={fieldId(`inputs/${i}/tolerance`)}
              name={`Tolerance of ${names[i]}`}
              unit={isPercent ? '%' : unit}
              text={tolerance}
              fault={faults[`inputs/${i}/tolerance`]}
              onText={(text) =>
                onChange({ inputs: inputs.with(i, { ...inputs[i]!, tolerance: text }) }, `inputs/${i}/tolerance`)
              }
            />
          ),
        )}
      </div>
      <label class="choice">
        <input
          id={options.aimsAtSurest ? fieldId('options/aim') : undefined}
          type="checkbox"
          checked={options.aimsAtSurest}
          onChange={({ currentTarget }) =>
            onChange({ options: { ...options, aimsAtSurest: currentTarget.checked } }, 'options/aim')
          }
        />
        <span>Then look for the most robust input</span>
      </label>
      {options.aimsAtSurest && <FaultOf path="options/aim" faults={faults} />}
      <div class="field-grid">
        {!options.aimsAtSurest && (
          <Field
            {...props}
            name="aim"
            label="Then look for an input with a robustness of"
            hint="A probability up to 0.999; empty: robustness is only reported."
          />
        )}
        <Field {...props} name="robustRuns" label="Additional runs" hint="At most; default: 5." />
      </div>
    </>
  );
}
