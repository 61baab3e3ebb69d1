import type { Dialect } from "./language.ts";
import type { Reading } from "./read-statements.ts";

// What a run and the process that reads texts send each other: one JSON value a line, one answer to each question.
// Before the first answer comes a line that the process is ready.

/** A text, and the language it is said to be in. */
export type Question = { readonly text: string; readonly dialect: Dialect };

export type Answer = Reading;
