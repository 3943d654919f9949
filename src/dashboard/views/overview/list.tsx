/** A page of the list of objectives. */
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { counted } from '../../../presentation/formats.ts';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate } from '../../shell/router.ts';
import { session } from '../../shell/session.ts';
import { addressOf, type Choice, countText, labelOf, type Sort, sortedBy, waitText } from './choice.ts';
import { fold, folded } from './folded.ts';
import { Glance } from './glance.tsx';

const MOST_COMPARED = 6;

interface ListProps {
  readonly glances: readonly ObjectiveGlance[];
  /** More follow after this id; undefined: there are none. */
  readonly olderAfter: number | undefined;
  readonly total: number;
  readonly choice: Choice;
  /** Whether it answers another choice than this one. */
  readonly isOutdated: boolean;
  readonly ticked: readonly number[];
  onTicked(ids: readonly number[]): void;
  onChange(): void;
}

export function List({ glances, olderAfter, total, choice, isOutdated, ...props }: ListProps) {
  return (
    <>
      <p class="hint" role="status">
        {isOutdated ? waitText(choice) : countText(glances.length, total, choice)}
      </p>
      {glances.length === 0 ? <NothingFound choice={choice} /> : <Table {...props} glances={glances} choice={choice} />}
      <nav class="overview-pages" aria-label="Pages of objectives">
        {choice.after !== undefined && (
          <Link to={addressOf({ ...choice, after: undefined })} class="button">
            First
          </Link>
        )}
        {olderAfter !== undefined && (
          <Link to={addressOf({ ...choice, after: olderAfter })} class="button">
            Next
          </Link>
        )}
      </nav>
    </>
  );
}

function NothingFound({ choice: { find, state } }: { readonly choice: Choice }) {
  return (
    <p>
      {find.trim() !== '' &&
        'Each word must be in the name of the model or the project, in the label, or in the number of the trial or the objective. '}
      {state !== undefined && `Only ${labelOf(state).toLowerCase()} objectives are searched. `}
      <Link to="/page">Show all objectives</Link>
    </p>
  );
}

type TableProps = Pick<ListProps, 'glances' | 'choice' | 'ticked' | 'onTicked' | 'onChange'>;

function Table({ glances, choice, ticked, onTicked, onChange }: TableProps) {
  const groups = choice.isGrouped ? byProject(glances) : [glances];
  return (
    <ScrollBox label="Objectives">
      <table class="glances">
        <Head choice={choice} />
        {groups.map((group) => (
          <tbody key={choice.isGrouped ? group[0]!.projectId : 0}>
            {choice.isGrouped && <Group glance={group[0]!} />}
            {!(choice.isGrouped && folded.value.includes(group[0]!.projectId)) &&
              group.map((glance) => (
                <Glance
                  key={glance.id}
                  glance={glance}
                  isGrouped={choice.isGrouped}
                  isTicked={ticked.includes(glance.id)}
                  canTick={ticked.includes(glance.id) || ticked.length < MOST_COMPARED}
                  onTick={(isTicked) =>
                    onTicked(isTicked ? [...ticked, glance.id] : ticked.filter((id) => id !== glance.id))
                  }
                  onChange={onChange}
                />
              ))}
          </tbody>
        ))}
      </table>
    </ScrollBox>
  );
}

const WORST = 'How far the worst output of the best run is from its target';

function Head({ choice }: { readonly choice: Choice }) {
  const title = (by: Sort, text: string, column: string) => (
    <Title choice={choice} by={by} text={text} column={column} />
  );
  return (
    <thead>
      <tr>
        <th scope="col" class="glance-tick">
          <span class="visually-hidden">Compare</span>
        </th>
        {title('name', 'Objective', 'glance-name')}
        {!choice.isGrouped && title('project', 'Project', 'glance-project')}
        <th scope="col" class="glance-targets">
          Targets
        </th>
        {title('state', 'State', 'glance-state')}
        <th scope="col" class="glance-met" title={WORST}>
          Best run
        </th>
        <th scope="col" class="glance-trend" title={`${WORST}, run by run, in tolerances`}>
          Trend
        </th>
        {title('runs', 'Runs', 'glance-runs number')}
        {title('changed', 'Changed', 'glance-age')}
        <th scope="col" class="glance-menu">
          <span class="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

interface TitleProps {
  readonly choice: Choice;
  readonly by: Sort;
  readonly text: string;
  readonly column: string;
}

function Title({ choice, by, text, column }: TitleProps) {
  const isSorted = choice.sort === by;
  const arrow = choice.direction === 'ascending' ? ' ▲' : ' ▼';
  const sort = () => navigate(addressOf({ ...choice, ...sortedBy(choice, by), after: undefined }), { replace: true });
  return (
    <th scope="col" class={column} aria-sort={isSorted ? choice.direction : 'none'}>
      <button type="button" class="quiet" onClick={sort}>
        {text}
        <span aria-hidden="true">{isSorted ? arrow : ''}</span>
      </button>
    </th>
  );
}

/** Objectives of a project follow each other. */
function byProject(glances: readonly ObjectiveGlance[]): readonly (readonly ObjectiveGlance[])[] {
  const groups = new Map<number, ObjectiveGlance[]>();
  for (const glance of glances) groups.set(glance.projectId, [...(groups.get(glance.projectId) ?? []), glance]);
  return [...groups.values()];
}

/** It is written across the columns behind it, which narrow windows hide. */
const OWN_COLUMNS = 2;

function Group({ glance }: { readonly glance: ObjectiveGlance }) {
  const { projectId, projectName, modelName, inProject } = glance;
  const isFolded = folded.value.includes(projectId);
  return (
    <tr class="glance-group">
      <th colSpan={OWN_COLUMNS} scope="rowgroup">
        <button
          type="button"
          class="quiet"
          aria-expanded={!isFolded}
          onClick={() => fold(session.value?.account ?? '', projectId, !isFolded)}
        >
          <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> <bdi>{projectName}</bdi>
        </button>{' '}
        <span class="hint">
          {inProject !== null && `${counted(inProject, 'objective')} · `}
          model <bdi>{modelName}</bdi>
        </span>
      </th>
    </tr>
  );
}
