import { exitCode, type ExitCode } from "../../../base/errors.ts";
import { outcomeText, type Sent } from "../../../base/http/transport.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { errorCodeIn } from "./answer.ts";

/** What became of one call with rows. */
export type Meaning =
  | { readonly kind: "taken"; readonly text: string }
  | {
      /**
       * `failed`: the marketing cloud's own fault, or its verdict on these rows, and others may fare better.
       * `hopeless`: credentials, rights, address, network, where the next call would meet the same.
       */
      readonly kind: "failed" | "hopeless";
      readonly why: string;
      readonly code: ExitCode;
      /** Whether the rows may have arrived all the same, with this try or an earlier one. */
      readonly isUncertain: boolean;
    };

/**
 * Tells a server-side error, after which a job may go on, from one on this side, which fails it (seed 002, Errors,
 * rule 3). Shows the status and the code alone, since messages may quote a record.
 */
export function meaningOf(found: Sent, what: string): Meaning {
  const why = `${what}: ${outcomeText(found)}`;
  const isUncertain = found.mayHaveActed;
  if (found.outcome !== "answered")
    return { kind: "hopeless", why, code: exitCode.failed, isUncertain };
  const { status, text } = found.answer;
  if (status >= 200 && status < 300) return { kind: "taken", text };
  const whole = why + errorCodeIn(text);
  if (!speaksOfUs(status))
    return { kind: "failed", why: whole, code: exitCode.failed, isUncertain };
  const isRefused = status === 401 || status === 403;
  const advice = isRefused ? "check the rights of the installed package" : "check the addresses";
  const code = isRefused ? exitCode.refused : exitCode.failed;
  return { kind: "hopeless", why: `${whole}; ${advice}`, code, isUncertain };
}

// Statuses that speak of the credentials or of the address, not of the rows.
function speaksOfUs(status: number): boolean {
  return status < 400 || [401, 403, 404, 405].includes(status);
}

/** Figures of a delivery while it runs. */
export type Tally = {
  accepted: number;
  refused: number;
  /** Sent, but nobody knows whether they arrived. */
  uncertain: number;
  /** Whether the rows that were there before are cleared. */
  cleared: "no" | "perhaps" | "yes";
  readonly notes: string[];
  /** Notes that were one too many to keep. */
  unlisted: number;
};

const mostNotes = 10;

/** A tally of nothing yet. */
export function newTally(): Tally {
  return { accepted: 0, refused: 0, uncertain: 0, cleared: "no", notes: [], unlisted: 0 };
}

/** Keeps a note, unless there are many already. */
export function note(tally: Tally, text: string): void {
  if (tally.notes.length < mostNotes) tally.notes.push(text);
  else tally.unlisted += 1;
}

/** How far a delivery has come, as a line for the person. */
export function soFar(target: string, { accepted }: Tally): string {
  return `target ${target}: ${rowCount(accepted)} so far`;
}
