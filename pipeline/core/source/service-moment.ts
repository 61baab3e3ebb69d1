/** When the service handled a request, by its own clock: at `fromMs` or later, and before `untilMs`. */
export type ServiceMoment = {
  readonly fromMs: number;
  /** The `Date` of the answer. */
  readonly dateMs: number;
  readonly untilMs: number;
};

const secondMs = 1000;

/**
 * Returns the interval in which the service handled a request: from the `Date` of its answer minus the duration of the
 * request to `Date` plus a second, since `Date` has whole seconds. Undefined where the answer has no `Date`. The log has
 * whole seconds too, so the interval starts with one.
 */
export function momentOfAnswer(
  serverTimeMs: number | undefined,
  durationMs: number,
): ServiceMoment | undefined {
  if (serverTimeMs === undefined) return undefined;
  const earliestMs = serverTimeMs - Math.max(durationMs, 0);
  return {
    fromMs: Math.floor(earliestMs / secondMs) * secondMs,
    dateMs: serverTimeMs,
    untilMs: serverTimeMs + secondMs,
  };
}
