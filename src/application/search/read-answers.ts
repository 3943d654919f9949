/** Reads the answers of objectives without their histories. */
import type { Db } from '../../db/connection/transaction.ts';
import { readOptimalRuns, readStandings, readUnjudgedRuns } from '../../db/search/answers.ts';
import { type Answer, answerOf, isOfSeveralRuns } from '../../domain/search/answer.ts';
import type { InputStanding } from '../../domain/search/explanation.ts';
import { findNearestRun, type NearestRun } from '../../domain/search/nearest.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { questOf } from '../../domain/search/quest.ts';

/** The answer of an objective, and the run that came nearest. */
export interface ReadAnswer {
  readonly answer: Answer | null;
  readonly nearest: NearestRun | null;
}

/** By the ids of the objectives. A few rows each, however long their searches are. */
export async function readAnswers(db: Db, objectives: readonly Objective[]): Promise<ReadonlyMap<number, ReadAnswer>> {
  const runs = Map.groupBy(await readUnjudgedRuns(db, objectives), ({ objectiveId }) => objectiveId);
  const optima = await readOptimalRuns(db, objectives);
  const standings = await readStandingsOf(db, objectives);
  return new Map(
    objectives.map((objective) => {
      const nearest = findNearestRun(objective, runs.get(objective.id) ?? []);
      const optimal = optima.get(objective.optimalInverseId ?? 0) ?? null;
      const standing = standings.get(objective.id) ?? null;
      return [objective.id, { answer: answerOf(objective, { nearest, optimal, standing }), nearest }];
    }),
  );
}

export async function readAnswer(db: Db, objective: Objective): Promise<Answer | null> {
  return (await readAnswers(db, [objective])).get(objective.id)!.answer;
}

/** Standings of the objectives that judge the runs at an input together; others have none. */
export function readStandingsOf(
  db: Db,
  objectives: readonly Objective[],
): Promise<ReadonlyMap<number, InputStanding | null>> {
  const ids = objectives.filter((objective) => isOfSeveralRuns(questOf(objective))).map(({ id }) => id);
  return readStandings(db, ids);
}
