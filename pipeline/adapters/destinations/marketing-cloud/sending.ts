import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import type { Ledger } from "../../../work/targets/ledger.ts";
import type { Batching } from "./batch.ts";
import type { Session } from "./session.ts";
import type { Supply } from "./supply.ts";
import type { Tally } from "./tally.ts";

/** Rows on their way into a data extension, and what is known of them. */
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
