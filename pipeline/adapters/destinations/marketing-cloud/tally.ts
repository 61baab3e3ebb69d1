import { exitCode, type ExitCode, AuditlakeError, isCode } from "../../../base/errors.ts";
import { formatOutcome, type Sent } from "../../../base/http/transport.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { readErrorCode } from "./answer.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";
import type { Ledger } from "../../../outgoing/targets/ledger.ts";
import type { Batching, Supply } from "./batch.ts";
import type { Session } from "./session.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../../base/home/durable.ts";

/** Outcome of one call with rows. */
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
 * Distinguishes a server-side error, after which a job may continue, from a client-side error, which fails it (seed
 * 002, Errors, rule 3). Shows only status and code, since messages may quote a record.
 */
export function explainAnswer(found: Sent, what: string): Meaning {
  const why = `${what}: ${formatOutcome(found)}`;
  const isUncertain = found.mayHaveActed;
  if (found.outcome !== "answered")
    return { kind: "hopeless", why, code: exitCode.failed, isUncertain };
  const { status, text } = found.answer;
  if (status >= 200 && status < 300) return { kind: "taken", text };
  const whole = why + readErrorCode(text);
  if (!isOwnFault(status))
    return { kind: "failed", why: whole, code: exitCode.failed, isUncertain };
  const isRefused = status === 401 || status === 403;
  const advice = isRefused ? "check the rights of the installed package" : "check the addresses";
  const code = isRefused ? exitCode.refused : exitCode.failed;
  return { kind: "hopeless", why: `${whole}; ${advice}`, code, isUncertain };
}

// Statuses that speak of the credentials or of the address, not of the rows.
function isOwnFault(status: number): boolean {
  return status < 400 || [401, 403, 404, 405].includes(status);
}

export type Tally = {
  accepted: number;
  refused: number;
  /** Sent, arrival unknown. */
  uncertain: number;
  /** Whether the rows that were there before are cleared. */
  cleared: "no" | "perhaps" | "yes";
  readonly notes: string[];
  unlisted: number;
};

const mostNotes = 10;

export function newTally(): Tally {
  return { accepted: 0, refused: 0, uncertain: 0, cleared: "no", notes: [], unlisted: 0 };
}

/** Keeps a note, unless there are many already. */
export function note(tally: Tally, text: string): void {
  if (tally.notes.length < mostNotes) tally.notes.push(text);
  else tally.unlisted += 1;
}

/** How far a delivery has come, as a line for the person. */
export function formatSoFar(target: string, { accepted }: Tally): string {
  return `target ${target}: ${formatRowCount(accepted)} so far`;
}

/** Rows for a data extension, and their state. */
export type Sending = {
  readonly target: WithName<MarketingCloud>;
  /** External key of the data extension. */
  readonly key: string;
  readonly supply: Supply;
  readonly batching: Pick<Batching, "write" | "leaveOut">;
  readonly tally: Tally;
  readonly ledger: Ledger;
  readonly session: Session;
  readonly context: DeliveryContext;
};

// Asynchronous requests whose outcome is unknown. A killed run leaves them behind; one that is executed after a later
// delivery would restore old rows.

const file = z.object({ open: z.array(z.string()), unnamed: z.boolean().default(false) });

type Records = z.infer<typeof file>;

/** The open requests of one target, stored on disk. */
export type OpenRequests = {
  readonly list: () => readonly string[];
  /** Whether a batch was handed over and the id of its request never came. */
  readonly hasUnnamed: () => boolean;
  /** Before a batch is handed over. */
  readonly begin: () => Promise<void>;
  /**
   * Call when the request has an id, or without one when no request exists. `hasTwin` if an earlier try may have made
   * another request without a received id.
   */
  readonly name: (id?: string, hasTwin?: boolean) => Promise<void>;
  /** Once a request has been carried out. */
  readonly remove: (id: string) => Promise<void>;
};

/** Those of the target whose records lie in the folder. */
export function openRequests(outbox: string): OpenRequests {
  const path = join(outbox, "requests.json");
  let records = read(path);
  let hadUnnamed = false;
  const saveRecords = async (next: Partial<Records>): Promise<void> => {
    records = { ...records, ...next };
    await writeDurably(path, Buffer.from(`${JSON.stringify(records)}\n`));
  };
  return {
    list: () => records.open,
    hasUnnamed: () => records.unnamed,
    begin: async () => {
      hadUnnamed = records.unnamed;
      await saveRecords({ unnamed: true });
    },
    name: (id, hasTwin = false) =>
      saveRecords({
        unnamed: hasTwin || hadUnnamed,
        open: id === undefined ? records.open : [...records.open, id],
      }),
    remove: (id) => saveRecords({ open: records.open.filter((other) => other !== id) }),
  };
}

function read(path: string): Records {
  try {
    return file.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (isCode(error, "ENOENT")) return { open: [], unnamed: false };
    throw new AuditlakeError(
      `${path} cannot be read; it lists requests that may still be running: wait until they have ended, then delete it`,
    );
  }
}
