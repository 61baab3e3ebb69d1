/** A half-open interval of time, milliseconds since the epoch. */
export type Interval = { readonly startMs: number; readonly endMs: number };
