import { dispatcherFor } from "./proxy.ts";
import { AuditlakeError, exitCode } from "../errors.ts";
import { noLog, type Log } from "../terminal/log.ts";
import type { World } from "../world.ts";
import { exchange, type Exchange, type HttpRequest } from "./exchange.ts";
import { isPassing } from "./faults.ts";

/** Whether a request that the other side may have acted on can be sent again without doing anything twice. */
export type Repeat = "harmless" | "harmful";

export type TransportOptions = {
  /** Of one attempt, the body of the answer included. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxAnswerBytes: number;
  /** Requests a second at most; as fast as they are answered if left out. */
  readonly perSecond?: number | undefined;
  readonly log?: Log;
};

/**
 * What became of a request after its last try. `mayHaveActed` where the answer to some try was lost, so that the other
 * side may have acted on it whatever a later try met; a request that only reads acts on nothing.
 */
export type Sent = Exchange & { readonly mayHaveActed: boolean };

/** Requests to a destination, sent again where that does no harm. */
export type Transport = AsyncDisposable & {
  /**
   * Sends a request until something settles it and returns that: an answer of any status, or the last fault. Sent
   * again are one that never left, one that was turned away (429), and where a repeat is harmless also one whose
   * answer was lost or says that a fault passes. Throws AuditlakeError (exit code 130) when interrupted while waiting
   * with nothing in doubt; where a try may have been acted on, returns that as lost.
   */
  readonly send: (request: HttpRequest, repeat: Repeat) => Promise<Sent>;
  readonly counts: { readonly requests: number; readonly retries: number };
};

/** What destinations get unless configured otherwise. */
export const usualTransport = {
  timeoutMs: 60_000,
  maxAttempts: 6,
  maxAnswerBytes: 16 * 1024 * 1024,
} satisfies TransportOptions;

const baseDelayMs = 500;
const maxDelayMs = 30_000;
const maxWaitMs = 900_000;
const agentOptions = { connect: { timeout: 10_000 }, maxHeaderSize: 65_536 };

/** A transport with connections of its own. */
export function newTransport(
  options: TransportOptions,
  world: Pick<World, "now" | "sleep" | "random" | "signal"> & Partial<Pick<World, "env">>,
): Transport {
  const kept = dispatcherFor(agentOptions, world.env ?? {});
  // A connection that stood idle might be closed at this very moment, and the answer be lost with it.
  const fresh = dispatcherFor({ ...agentOptions, pipelining: 0 }, world.env ?? {});
  const turn = newPace(options.perSecond, world);
  const counts = { requests: 0, retries: 0 };
  const { log = noLog } = options;
  const once = async (request: HttpRequest, repeat: Repeat): Promise<Exchange> => {
    await turn();
    const startMs = world.now();
    counts.requests += 1;
    const agent = repeat === "harmless" ? kept : fresh;
    const found = await exchange(request, agent, { ...options, nowMs: startMs });
    const path = `${request.method} ${request.url.pathname}`;
    log.debug({ path, ms: world.now() - startMs, bytes: request.body?.length ?? 0 }, saying(found));
    return found;
  };
  return {
    counts,
    send: async (request, repeat) => {
      let waitedMs = 0;
      let mayHaveActed = false;
      for (let n = 1; ; n++) {
        const found = await once(request, repeat);
        mayHaveActed ||= found.outcome === "lost" && request.method !== "GET";
        const delayMs = Math.max(
          world.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** n),
          found.outcome === "answered" ? (found.answer.retryAfterMs ?? 0) : 0,
        );
        waitedMs += delayMs;
        if (
          !mayTryAgain(found, request, repeat) ||
          n >= options.maxAttempts ||
          waitedMs > maxWaitMs
        )
          return sent(found, mayHaveActed);
        counts.retries += 1;
        log.info({ path: request.url.pathname, attempt: n, delayMs }, saying(found));
        try {
          await pause(delayMs, world);
        } catch (error) {
          if (mayHaveActed && world.signal.aborted) return sent(interrupted, mayHaveActed);
          throw error;
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([kept.destroy(), fresh.destroy()]);
    },
  };
}

// One after the other gets the next moment that is free.
function newPace(
  perSecond: number | undefined,
  world: Pick<World, "now" | "sleep" | "signal">,
): () => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  let freeMs = -Infinity;
  return async () => {
    const nowMs = world.now();
    const atMs = Math.max(freeMs, nowMs);
    freeMs = atMs + 1000 / perSecond;
    if (atMs > nowMs) await pause(atMs - nowMs, world);
  };
}

const interrupted: Exchange = { outcome: "unsent", why: "interrupted", isFinal: true };

// A try that never left does not undo an earlier one.
function sent(found: Exchange, mayHaveActed: boolean): Sent {
  return found.outcome === "unsent" && mayHaveActed
    ? { ...found, outcome: "lost", status: undefined, mayHaveActed }
    : { ...found, mayHaveActed };
}

/** Waits; throws AuditlakeError (exit code 130) when interrupted. */
export async function pause(
  ms: number,
  { sleep, signal }: Pick<World, "sleep" | "signal">,
): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  checkInterrupted({ signal });
}

/** Throws AuditlakeError (exit code 130) where somebody interrupted: between two requests nothing is in doubt. */
export function checkInterrupted({ signal }: Pick<World, "signal">): void {
  if (signal.aborted) throw new AuditlakeError("interrupted", exitCode.interrupted);
}

function mayTryAgain(found: Exchange, request: HttpRequest, repeat: Repeat): boolean {
  if (found.outcome === "answered") {
    const { status } = found.answer;
    if (request.isFinal?.(found.answer)) return false;
    return status === 429 || (repeat === "harmless" && isPassing(status));
  }
  return !found.isFinal && (found.outcome === "unsent" || repeat === "harmless");
}

/** What came of a request, in words that follow its name: `answered 503`, `nothing listens there`. */
export function saying(found: Exchange): string {
  return found.outcome === "answered" ? `answered ${found.answer.status}` : found.why;
}
