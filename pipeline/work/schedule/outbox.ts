import type { Notice } from "./notice.ts";
import type { Memory } from "./job-state.ts";

/**
 * Sends the notices that wait, the oldest first, and takes each off the list once it arrived. Throws what `send`
 * throws at the first that does not arrive: it and those behind it go on waiting.
 */
export async function sendWaiting(
  memory: Memory,
  send: (notice: Notice) => Promise<void>,
): Promise<void> {
  for (;;) {
    const [next] = memory.read().notices;
    if (next === undefined) return;
    await send(next);
    await memory.update((state) => ({
      ...state,
      notices: state.notices.filter(({ id }) => id !== next.id),
    }));
  }
}

const firstAgainMs = 60_000;
const longestAgainMs = 3_600_000;

/**
 * `send`, but after it failed only again after a minute, then two, four, and so on up to an hour. `failed` is called
 * with each failure.
 */
export function patiently(
  send: () => Promise<void>,
  now: () => number,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let failedMs = -Infinity;
  let waitMs = 0;
  return async () => {
    const sinceMs = now() - failedMs;
    // A negative time comes from a clock that was set back.
    if (sinceMs >= 0 && sinceMs < waitMs) return;
    try {
      await send();
      waitMs = 0;
    } catch (error) {
      failed(error);
      failedMs = now();
      waitMs = waitMs === 0 ? firstAgainMs : Math.min(waitMs * 2, longestAgainMs);
    }
  };
}
