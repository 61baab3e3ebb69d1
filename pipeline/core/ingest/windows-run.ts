import type { Home } from "../../base/home/layout.ts";
import type { Loader } from "../load/loader.ts";
import type { Client } from "../source/client.ts";
import type { RunRow } from "../store/ledger/record.ts";
import type { World } from "../../base/world.ts";
import type { Writer } from "../writer/open.ts";
import type { FetchQueue } from "./fetch-queue.ts";
import type { FetchPlan } from "./task.ts";
import type { Interval } from "../../base/time/periods.ts";

/** A window that was not read, and why. */
export type WindowFailure = {
  readonly window: Interval;
  readonly message: string;
  /** True for a second that the service does not serve, while it serves what lies around it. */
  readonly isUnserved: boolean;
};

/** A window whose newest read is incomplete by what the answers themselves show, and the names of these signs. */
export type Contradiction = { readonly window: Interval; readonly signs: readonly string[] };

/** A run over windows, and what it has come to so far. */
export type WindowsRun = {
  readonly fetches: FetchQueue;
  readonly client: Client;
  readonly plan: FetchPlan;
  readonly home: Home;
  readonly writer: Writer;
  readonly loader: Loader;
  readonly world: World;
  readonly failures: WindowFailure[];
  readonly disagreeing: Interval[];
  readonly unsplit: Interval[];
  /** By the start of the window. */
  readonly contradicted: Map<number, Contradiction>;
  run: RunRow;
};
