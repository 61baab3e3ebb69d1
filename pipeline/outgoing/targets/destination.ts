import { type Print } from "../../base/notice/printer.ts";
import type { Target } from "../../../schemas/connectors.ts";
import type { RowList, Rows } from "../../base/rows/row.ts";
import type { Transport } from "../../base/http/transport.ts";
import type { World } from "../../base/world.ts";
import type { RetryOptions, Ledger } from "./ledger.ts";

/** A kind of destination: all that differs between the types of targets. Its schema is in schemas/connectors/. */
export type Destination<T extends Target = Target> = {
  readonly deliver: Deliver<T>;
  /**
   * What a delivery would do, in words, with all that can be checked without asking the destination; sends nothing.
   * Throws what the delivery would throw; `print` takes a notice of rows that would be left out.
   */
  readonly preview: (target: WithName<T>, rows: Rows, print: Print) => Promise<string>;
  /** Where the rows go, in a few words without a secret. */
  readonly describe: (target: T) => string;
  /** What the target itself holds that must never be shown; markers and gaps among it do no harm. */
  readonly secrets: (target: T) => readonly (string | undefined)[];
  /** Whether the target has to be signed in to. */
  readonly needsCredentials: (target: T) => boolean;
  /**
   * Checks a target as far as possible without a delivery. With `isSending`, sends one row marked as a test if the
   * destination has no other check. Returns the results for people; throws AuditlakeError if a delivery would fail.
   */
  readonly test: (
    target: WithName<T>,
    context: DeliveryContext,
    isSending: boolean,
  ) => Promise<readonly string[]>;
  /** Keys that hold paths; a relative one starts at the configuration file. */
  readonly paths?: readonly (keyof T & string)[];
  /** Whether the same rows again are another delivery, since the receiver would turn away an id that it knows. */
  readonly isNewEachTime?: true;
  /**
   * Lists the settings that define where rows arrive, and how existing rows are treated. A started delivery does not
   * continue elsewhere. Omitted if each attempt sends everything, or if nothing depends on the place.
   */
  readonly place?: (target: T) => readonly (string | undefined)[];
  /** What a delivery replaces as a whole, as `describe` has it where others add to it; undefined where it adds. */
  readonly replaces?: (target: T) => string | undefined;
  /** Why a target will not do for a class of an activation; undefined where it does. */
  readonly unfitForClass?: (target: T) => string | undefined;
  /** Whether a class of an activation without rows is delivered all the same. */
  readonly goesOutEmpty?: (target: T) => boolean;
  /** Whether it can receive a notice while the configuration is unreadable: the target contains no secret of it. */
  readonly canNotifyAlone?: (target: T) => boolean;
};

/** The number of rows, all of them read. */
export async function countRows({ batches }: Rows): Promise<number> {
  let total = 0;
  for await (const batch of batches) total += batch.length;
  return total;
}

export type WithName<T extends Target> = T & { readonly name: string };
export type NamedTarget = WithName<Target>;

/** Outcome of a completed delivery. */
export type Delivery = {
  readonly target: string;
  /** Names it, where it is one of several runs that it took. */
  readonly delivery?: string | undefined;
  /** Rows the destination took. */
  readonly accepted: number;
  /** Rows that it did not take, or that were not sent since they could not be. */
  readonly refused: number;
  /** Rows that were sent and whose arrival is unknown; none if left out. */
  readonly uncertain?: number;
  readonly outcome: "delivered" | "partial";
  /** One line each, for the person. */
  readonly notes: readonly string[];
};

/** The message for people instead of the rows, if a person reads the delivery. */
export type Announcement = {
  readonly title: string;
  readonly text: string;
  readonly table?: RowList | undefined;
  /** Values for the placeholders of a body of one's own, beside title and message. */
  readonly facts?: Readonly<Record<string, string>>;
};

/** An announcement that ends with the newest head of this home, if it is signed: what a receiver keeps is evidence. */
export function withHead(announcement: Announcement, head: string | undefined): Announcement {
  if (head === undefined) return announcement;
  return { ...announcement, text: `${announcement.text}\n\n${head.trimEnd()}` };
}

export type DeliveryContext = RetryOptions & {
  readonly announcement?: Announcement | undefined;
  readonly http: Transport;
  /** Returns the value of a credential key of the target, from its stored authentication for `__SAVED__`. */
  readonly credential: (key: string) => string;
  /** Takes warnings as notices, and progress as lines. */
  readonly print: Print;
  /** Whether the person agreed beforehand to what cannot be undone (`--yes`). */
  readonly confirmed: boolean;
  readonly world: World;
  /** The states of the rows so far. */
  readonly ledger: Ledger;
  /** Whether a row that can never go out is refused while others go, where it would end the job otherwise. */
  readonly leavesOut?: boolean;
  /** Identifies this delivery in records before and after a send. */
  readonly deliveryId: string;
  /** Folder of this target's records; the connector makes it when it needs it. */
  readonly outbox: string;
};

/**
 * Delivers to one target the rows that the ledger has as open, or that are to be retried, and records each there.
 * Figures are those of the whole delivery, earlier attempts included. Throws UsageError or AuditlakeError if nothing
 * was sent, and DeliveryError if something may have been sent before it failed.
 */
export type Deliver<T extends Target = Target> = (
  target: WithName<T>,
  rows: Rows,
  context: DeliveryContext,
) => Promise<Delivery>;
