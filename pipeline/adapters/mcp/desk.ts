import type { LimitFunction } from "p-limit";
import type { Report } from "../../answers/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

/** What one answer may take and hold. */
export type AnswerLimits = {
  readonly timeoutMs: number;
  readonly maxRows: number;
  /** Of the rows as JSON. */
  readonly maxBytes: number;
};

/** What the tools work with. */
export type Desk = {
  readonly settings: Settings;
  readonly world: World;
  /** Asked anew each time: a file that is dropped into the folder is there. */
  readonly reports: () => readonly Report[];
  readonly limits: AnswerLimits;
  /** Each question takes a process and its memory. */
  readonly queue: LimitFunction;
};
