import { entryPath } from "../home/assets.ts";

/** What the process of a query runs. */
export const queryProcess = entryPath("pipeline/ask/query-child");
