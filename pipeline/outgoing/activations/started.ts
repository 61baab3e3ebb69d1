import type { DuckDBConnection } from "@duckdb/node-api";
import type { Activation, DeltaStatus } from "../../../schemas/activation.ts";
import type { Report } from "../../base/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Column, Row } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import type { World } from "../../base/world.ts";
import type { ActivationRun, DroppedRow, RefusedRow } from "../../core/store/activation/runs.ts";
import type { DeliveryOrder } from "../deliveries/target.ts";
import type { NamedTarget } from "../targets/destination.ts";
import type { Agreement } from "./guard.ts";

/** The connector as configured for the rows of one class. */
export type ClassTarget = { readonly status: DeltaStatus; readonly target: NamedTarget };

/** The source of an activation, with a title for people; without a report it is all rows of a table. */
export type ActivationSource = {
  readonly question: Question;
  readonly report: Report | undefined;
  readonly title: string;
};

/** How an activation is to be run. */
export type ActivationOrder = Omit<DeliveryOrder, "deliveryId" | "ledger"> &
  Agreement & {
    readonly dryRun?: boolean;
    /** The zone of timestamps that go out with the rows; UTC if left out. */
    readonly timezone?: string | undefined;
    /** How many rows of each class a dry run shows; none if left out. */
    readonly preview?: number | undefined;
    /** The scheduled time, milliseconds since the epoch; each has its own delivery. */
    readonly dueMs?: number | undefined;
  };

/** An activation, the reports that it may name, and how it is to be run. */
export type ActivationRequest = {
  readonly name: string;
  readonly activation: Activation;
  readonly reports: readonly Report[];
  readonly order: ActivationOrder;
};

/** A run of an activation with all that it needs. */
export type PreparedActivation = Omit<ActivationRequest, "reports"> & {
  readonly source: ActivationSource;
  readonly targets: readonly ClassTarget[];
  readonly settings: Settings;
  readonly world: World;
  readonly connection: DuckDBConnection;
};

/** What a run found and did; in a dry run nothing is delivered. */
export type ActivationResult = {
  readonly run: ActivationRun;
  /** Classes that hold rows but have no mapping: they go nowhere. */
  readonly unmapped: readonly string[];
  /** Rows that did not arrive earlier and have the same content still, so they are not tried again. */
  readonly setAside: number;
  readonly dropped: DroppedRow;
  /** Of a dry run: the first rows of each class. */
  readonly preview?: readonly Preview[];
  /** The first rows of this delivery that did not arrive. */
  readonly refused: readonly RefusedRow[];
};

/** The first rows of a class as they would go out. */
export type Preview = {
  readonly status: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
};
