import type { Delivery } from "../../../pipeline/outgoing/targets/destination.ts";
import type { ExportBed } from "./export-bed.ts";
import type { Arrival } from "./places.ts";
import type { Plan, Source, Step } from "./plan.ts";
import { numberless } from "./tables.ts";
import type { Attempt } from "./trouble.ts";

// The oracle of exports: what each delivery owes is the source at its start. The status of a row is what the
// destination did with it. It shares no rule with the program.

const dayMs = 86_400_000;

/** `lost` is one that was accepted when the process was killed, which may not know; `doubt` is an unknown outcome. */
type Fate = "taken" | "refused" | "none" | "doubt" | "lost";

/** A delivery: what it owes, and what the destination did with each of its rows. */
type Owed = {
  readonly source: Source;
  readonly due: number | undefined;
  readonly first: number;
  readonly fates: Map<string, Fate>;
  /** How often each row arrived, and how often a resend of uncertain rows was requested. */
  readonly times: Map<string, number>;
  asked: number;
  isDone: boolean;
};

/** Plays a history of an export; returns what was untrue of it, each line beginning with the seed. */
export async function judgeExports(plan: Plan, bed: ExportBed): Promise<string[]> {
  const faults: string[] = [];
  let owed: Owed | undefined;
  const play = async (step: Step, at: number): Promise<void> => {
    const due = step.isScheduled ? step.day * dayMs : undefined;
    const name = `seed ${plan.seed}, export to ${plan.destination}, step ${at + 1} of day ${step.day}`;
    const complain = (text: string): void => void faults.push(`${name}: ${text}`);
    const isAsking = step.again.retryRefused || step.again.resendUncertain;
    const isOver = owed === undefined || (owed.isDone && (owed.due !== due || due === undefined));
    const before = bed.attempts.length;
    const outcome = await bed.run(step, due);
    const attempts = bed.attempts.slice(before);
    // A completed delivery has nothing refused or uncertain, so a command for these does nothing.
    if (isAsking && (isOver || owed?.isDone === true)) {
      if (attempts.length > 0) complain("sent something although nothing was left");
      return;
    }
    if (owed?.isDone === true && !isOver) {
      if (attempts.length > 0) complain("sent again what was delivered for this due time");
      return;
    }
    const former = owed;
    const isNew = former === undefined || isOver || (due !== undefined && former.due !== due);
    if (isNew) owed = newOwed(step, due, at);
    const now = owed!;
    if (step.again.resendUncertain) now.asked += 1;
    const left = isNew && former !== undefined && !isOver ? listOpen(former, plan) : [];
    const isKilled = outcome instanceof Error && outcome.message === "killed";
    const resumed = isNew && !isOver ? former : undefined;
    for (const text of enter({ attempts, isKilled }, [resumed, now], new Set(left), step, plan))
      complain(text);
    for (const text of doubled(now, plan)) complain(text);
    if (outcome instanceof Error) {
      if (step.trouble === undefined && canReach(step, plan))
        complain(`failed without trouble: ${outcome.message}`);
      // If the previous one was interrupted again, the new one did not start; one that sent nothing is deleted.
      const isForgotten =
        step.trouble === "stop" && [...now.fates.values()].every(isNone) && !isSkipping(now, plan);
      if (isNew && now.fates.size === 0 && left.length > 0) owed = former;
      else if (isNew && (isForgotten || !canReach(step, plan))) owed = undefined;
      return;
    }
    for (const text of judge(outcome, now, plan, bed.arrived())) complain(text);
    now.isDone = outcome.outcome === "delivered";
  };
  for (const [at, step] of plan.steps.entries()) await play(step, at);
  const { source, day } = plan.steps.at(-1)!;
  const calm = { source, day, at: 0, trouble: undefined, poison: new Set<string>() };
  const none = { retryRefused: false, resendUncertain: false };
  await play({ ...calm, day: day + 1, again: none, isScheduled: true }, plan.steps.length);
  if (owed?.isDone === false && plan.destination !== "messaging")
    faults.push(`seed ${plan.seed}: a calm day left something`);
  return faults;
}

// If no row has a number, the column is treated as a wrong one: the run fails, and reports that.
function canReach({ source }: Step, { destination }: Plan): boolean {
  const isWithoutNumber = source.size > 0 && [...source.keys()].every((id) => id === numberless);
  return destination !== "messaging" || !isWithoutNumber;
}

// A row without a number is refused before the first call.
function isSkipping({ source }: Owed, { destination }: Plan): boolean {
  return destination === "messaging" && source.has(numberless);
}

const isNone = (fate: string): boolean => fate === "none";

function newOwed({ source }: Step, due: number | undefined, first: number): Owed {
  return { source, due, first, fates: new Map(), times: new Map(), asked: 0, isDone: false };
}

// Rows that certainly were never sent before, and could have been.
function listOpen({ source, fates }: Owed, { destination }: Plan): string[] {
  const isMessage = destination === "messaging";
  return [...source.keys()].filter((id) => {
    if (isMessage && id === numberless) return false;
    return ["none", "lost"].includes(fates.get(id) ?? "none");
  });
}

// Each row that was sent belongs to the resumed delivery, or to the started one.
function enter(
  { attempts, isKilled }: { readonly attempts: readonly Attempt[]; readonly isKilled: boolean },
  [former, now]: readonly [former: Owed | undefined, now: Owed],
  left: Set<string>,
  { again }: Step,
  { destination }: Plan,
): string[] {
  const faults: string[] = [];
  // Of a started message it is unknown whether it was sent.
  const isMessage = destination === "messaging";
  const buildFate = (attempt: Attempt): Fate => {
    if (!isKilled || attempt !== attempts.at(-1)) return attempt.end;
    if (attempt.end === "taken") return isMessage ? "taken" : "lost";
    return isMessage ? "doubt" : attempt.end;
  };
  for (const attempt of attempts)
    for (const row of attempt.rows) {
      const owners = [former, now].filter((each) => each?.source.get(row.id) === row.content);
      const of = (left.delete(row.id) ? owners[0] : owners.at(-1)) ?? now;
      if (owners.length === 0) faults.push(`sent what it does not owe: ${row.id} ${row.content}`);
      if (of.fates.get(row.id) === "refused" && !again.retryRefused && !again.resendUncertain)
        faults.push(`tried again unasked: ${row.id}`);
      const fate = buildFate(attempt);
      // A refused row whose next try has no outcome is still refused; a requested message stays requested.
      const isStill = fate === "none" && !isMessage && of.fates.get(row.id) === "refused";
      if (!isStill) of.fates.set(row.id, fate);
      if (attempt.end === "taken") of.times.set(row.id, (of.times.get(row.id) ?? 0) + 1);
    }
  return faults;
}

// A message is sent once; anything else may be resent under its id, or rewritten.
function doubled({ times, asked }: Owed, { destination }: Plan): string[] {
  if (destination !== "messaging") return [];
  return [...times]
    .filter(([, count]) => count > 1 + asked)
    .map(([id, count]) => `arrived ${count} times: ${id}`);
}

function judge(
  { outcome, accepted, refused, uncertain = 0 }: Delivery,
  { source, fates }: Owed,
  { destination }: Plan,
  arrived: readonly Arrival[],
): string[] {
  const has = new Map(arrived.map(({ id, content }) => [id, content]));
  const isThere = ([id, content]: readonly [string, string]): boolean =>
    destination === "file"
      ? has.get(id) === content
      : ["taken", "lost"].includes(fates.get(id) ?? "");
  const missing = [...source].filter((row) => !isThere(row)).map(([id]) => id);
  const refusedCount = [...fates].filter(([, fate]) => fate === "refused").length;
  return [
    ...(outcome === "delivered" && missing.length > 0
      ? [`said to be delivered, and missing: ${missing.join(", ")}`]
      : []),
    ...(missing.length > refused + uncertain
      ? [`${missing.length} are missing, and ${refused + uncertain} are reported`]
      : []),
    ...(refusedCount > refused + uncertain
      ? [`${refusedCount} were refused, and ${refused} are reported`]
      : []),
    ...(accepted + refused + uncertain === source.size
      ? []
      : [`${source.size} rows, and ${accepted} + ${refused} + ${uncertain} are reported`]),
  ];
}
