import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import type { PruneScope } from "../store/prune.ts";
import type { World } from "../../base/world.ts";

/** Throws AuditlakeError if events that the prune deletes would be lost. */
export type PruneGuard = (
  settings: Settings,
  scope: PruneScope,
  old: { readonly connection: DuckDBConnection; readonly quarantined: number },
  world: World,
) => Promise<void>;

/** What a prune removes: stored raw pages of a time, `withEvents` their events, too, if the guard allows it. */
export type PruneRequest = {
  readonly scope: PruneScope;
  readonly withEvents: boolean;
  readonly guard: PruneGuard;
};
