import type { DuckDBConnection } from "@duckdb/node-api";
import type { Catalog } from "../../../schemas/catalog.ts";
import type { Markup } from "../../base/html/markup.ts";
import type { Found } from "../../answers/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { Pool } from "./pool.ts";
import type { Statements } from "./statements.ts";
import type { AskedLog } from "./asked-log.ts";

/** What the pages are made from. */
export type Site = {
  readonly settings: Settings;
  readonly world: World;
  readonly pool: Pool;
  readonly statements: Statements;
  /** Asked anew for each page: a file that is dropped into the folder is there. */
  readonly found: () => Found;
  /** Folder that reports are saved into; undefined where none is configured. */
  readonly queriesFolder: string | undefined;
  /** The reference, with the events of the user's own as they are now. */
  readonly catalog: () => Promise<Catalog>;
  readonly asked: AskedLog;
  /** Makes an editor of the field of a statement; undefined where it was not built. */
  readonly editorScript: string | undefined;
  /** How long a question of a page may take. */
  readonly timeoutMs: number;
  /** How the pipeline is doing. */
  readonly health: (connection: DuckDBConnection) => Promise<Markup>;
};
