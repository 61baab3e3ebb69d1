import { lockState } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readEntries } from "../../core/evidence/entries.ts";
import { readOrigin } from "../../core/evidence/origin.ts";
import { prepareSigning } from "../../core/evidence/signing.ts";
import { describeSurvey, listSurveyFaults, surveyLog } from "../../core/evidence/survey.ts";
import { computeRoot, hashLeaf } from "../../core/evidence/tree.ts";
import { listPrunedPaths, listTombstones } from "../../core/landing/tombstones.ts";
import { type Finding, newFailed, newFailedWith, newPassed, warn } from "./finding.ts";

/**
 * Checks that the log covers what was landed and that the next run can sign it; `deep` compares the bytes of each landed
 * file with its entry.
 */
export function* checkEvidence(settings: Settings, deep: boolean): Generator<Finding> {
  const { landing, lock } = settings.home;
  try {
    const survey = surveyLog(landing, listPrunedPaths(listTombstones(landing)), deep);
    // An active run stores a file before its entry.
    const isAtWork = lockState(lock).state === "held";
    const faults = listSurveyFaults({ ...survey, ...(isAtWork && { without_entry: [] }) });
    const isBroken = survey.faults.length + survey.without_file.length + survey.changed.length > 0;
    for (const fault of faults)
      yield isBroken ? newFailed("evidence", fault) : warn("evidence", fault);
    if (faults.length === 0) yield newPassed("evidence", describeSurvey(survey));
  } catch (error) {
    yield newFailedWith("evidence", error);
  }
  yield* checkSigning(settings);
}

function* checkSigning(settings: Settings): Generator<Finding> {
  try {
    const origin = readOrigin(settings);
    if (origin === undefined) return;
    const leaves = readEntries(settings.home.landing).lines.map(hashLeaf);
    const computeRootAt = (size: number): Buffer => computeRoot(leaves.slice(0, size));
    const signing = prepareSigning(settings, origin, { size: leaves.length, computeRootAt });
    if (signing === undefined) return;
    const folder =
      signing.folder ?? "no folder: set evidence.heads to detect a restored or cloned home";
    yield newPassed("signing", `key of ${origin}; heads go to ${folder}`);
  } catch (error) {
    yield newFailedWith("signing", error);
  }
}
