import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import { describeSurvey, listSurveyFaults, surveyLog } from "../../core/evidence/survey.ts";
import { listPrunedPaths, listTombstones } from "../../core/landing/tombstones.ts";
import { type Finding, newFailed, newFailedWith, newPassed, warn } from "./finding.ts";

/** Whether the log covers what was landed; `deep` compares the bytes of each landed file with its entry. */
export function* checkEvidence({ landing, lock }: Home, deep: boolean): Generator<Finding> {
  try {
    const survey = surveyLog(landing, listPrunedPaths(listTombstones(landing)), deep);
    // A run at work lands a file before its entry.
    const isAtWork = lockState(lock).state === "held";
    const faults = listSurveyFaults({ ...survey, ...(isAtWork && { without_entry: [] }) });
    const isBroken = survey.faults.length + survey.without_file.length + survey.changed.length > 0;
    for (const fault of faults)
      yield isBroken ? newFailed("evidence", fault) : warn("evidence", fault);
    if (faults.length === 0) yield newPassed("evidence", describeSurvey(survey));
  } catch (error) {
    yield newFailedWith("evidence", error);
  }
}
