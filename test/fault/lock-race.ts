// What the lock storm and its processes say to each other.

/** Take the lock at a moment (epoch ms, with fractions), hold it, release it; once for each moment. */
export type Start = {
  readonly path: string;
  readonly atMs: readonly number[];
  readonly holdMs: number;
};

export type Try = { readonly result: "won" | "locked" | "fault"; readonly message: string };

/** The moment, finer than the clock's milliseconds. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
