import { entryPath } from "../../base/home/assets.ts";

/** What the process of a query runs. */
export const queryProcess = entryPath("pipeline/answers/ask/query-child");
