import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Arrival, Place } from "./places.ts";
import type { Step } from "./plan.ts";

/** One attempt to hand rows over, and what the destination did with it. */
export type Attempt = {
  readonly rows: readonly Arrival[];
  readonly end: "taken" | "refused" | "none";
};

/** A home with its folder, and what happened between it and its destination. */
export type Between = {
  readonly root: string;
  readonly folder: string;
  readonly attempts: Attempt[];
  /** Ids of requests that the destination has taken. */
  readonly taken: Set<unknown>;
};

/**
 * Applies the fault of a step between a home and its destination. The returned function ends it: undefined, or an
 * error if the process was killed. A killed one leaves its home as it is at that moment: later changes are undone.
 */
export function trouble(
  { emulated, rowsOf, refusal, stop }: Place,
  step: Step,
  { root, folder, attempts, taken }: Between,
): () => Error | undefined {
  const left = join(folder, "left");
  let calls = 0;
  let isKilled = false;
  emulated.fault((call) => {
    if (isKilled) return "reset";
    const rows = rowsOf(call);
    if (rows === undefined) return undefined;
    calls += 1;
    const now = calls === step.at ? step.trouble : undefined;
    // A receiver refuses nothing under an id that it has taken before.
    const id = call.headers["webhook-id"];
    const isPoisoned = rows.some((row) => step.poison.has(row.id)) && !taken.has(id);
    if (now === "kill before" || now === "kill after") {
      rmSync(left, { recursive: true, force: true });
      cpSync(root, left, { recursive: true });
      isKilled = true;
      const isTaken = now === "kill after" && !isPoisoned;
      attempts.push({ rows, end: isTaken ? "taken" : "none" });
      if (isTaken && id !== undefined) taken.add(id);
      return isTaken ? "lose" : "reset";
    }
    if (now === "stop") {
      attempts.push({ rows, end: "none" });
      return stop;
    }
    attempts.push({ rows, end: isPoisoned ? "refused" : "taken" });
    if (!isPoisoned && id !== undefined) taken.add(id);
    if (isPoisoned) return refusal;
    return now === "lose" ? "lose" : undefined;
  });
  return () => {
    emulated.fault(undefined);
    if (!isKilled) return undefined;
    rmSync(root, { recursive: true, force: true });
    cpSync(left, root, { recursive: true });
    return new Error("killed");
  };
}
