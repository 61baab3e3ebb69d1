import type { Target } from "../../../schemas/connectors.ts";
import type { Transport } from "../../base/http/transport.ts";
import type { World } from "../../base/world.ts";
import type { Rows } from "../../base/rows/row.ts";
import type { Again, Ledger } from "./ledger.ts";
import type { SmallTable } from "./table.ts";

/** A target of the configuration with its name. */
export type WithName<T extends Target> = T & { readonly name: string };
export type NamedTarget = WithName<Target>;

/** What came of a delivery that went to its end. */
export type Delivery = {
  readonly target: string;
  /** Names it, where it is one of several runs that it took. */
  readonly delivery?: string | undefined;
  /** Rows the destination took. */
  readonly accepted: number;
  /** Rows that it did not take, or that were not sent since they could not be. */
  readonly refused: number;
  /** Rows that were sent and of which nobody knows whether they arrived; none if left out. */
  readonly uncertain?: number;
  readonly outcome: "delivered" | "partial";
  /** One line each, for the person. */
  readonly notes: readonly string[];
};

/** What people get instead of the rows, where a person reads what is delivered. */
export type Announcement = {
  readonly title: string;
  readonly text: string;
  readonly table?: SmallTable | undefined;
};

export type DeliveryContext = Again & {
  readonly announcement?: Announcement | undefined;
  readonly http: Transport;
  /** The value of a credential key of the target, taken from its stored authentication where it says `__SAVED__`. */
  readonly credential: (key: string) => string;
  /** Takes warnings and progress, one line each. */
  readonly print: (line: string) => void;
  /** Whether the person agreed beforehand to what cannot be undone (`--yes`). */
  readonly confirmed: boolean;
  readonly world: World;
  /** The states of the rows so far. */
  readonly ledger: Ledger;
  /** Whether a row that can never go out is refused while others go, where it would end the job otherwise. */
  readonly leavesOut?: boolean;
  /** Names this delivery in what is recorded before and after a send. */
  readonly deliveryId: string;
  /** Folder of this target's records; the connector makes it when it needs it. */
  readonly outbox: string;
};

/**
 * Delivers those rows to one target that the ledger has as open, or that are to be tried again, and records each there.
 * Figures are those of the whole delivery, earlier attempts included. Throws UsageError or AuditlakeError where nothing was sent, and DeliveryError where
 * something may have gone out before it failed.
 */
export type Deliver<T extends Target = Target> = (
  target: WithName<T>,
  rows: Rows,
  context: DeliveryContext,
) => Promise<Delivery>;
