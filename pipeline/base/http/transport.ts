import { AuditlakeError, exitCode } from "../errors.ts";
import { type Log, noLog } from "../terminal/log.ts";
import type { World } from "../world.ts";
import { sendRequest, type Exchange, type HttpRequest } from "./exchange.ts";
import { isPassing } from "./faults.ts";
import { asksForWait } from "./waiting.ts";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";

/**
 * Whether a request that the other side may have acted on can be repeated safely. `never` means that it is not repeated
 * even if it was rejected or did not leave.
 */
export type Repeat = "harmless" | "harmful" | "never";

export type TransportOptions = {
  /** Of one attempt, the body of the answer included. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxAnswerBytes: number;
  /** What the error about a longer answer advises. */
  readonly longAnswer?: string;
  /** Maximum of requests per second; unlimited if left out. */
  readonly perSecond?: number | undefined;
  readonly log?: Log;
};

/**
 * The outcome of a request after its last try. `mayHaveActed` if the answer to some try was lost, or leaves it open:
 * the other side may have acted on it then, regardless of later tries. A request that only reads acts on nothing.
 */
export type Sent = Exchange & { readonly mayHaveActed: boolean; readonly tries: number };

/** Requests to the service or to a destination, sent again where that does no harm. */
export type Transport = AsyncDisposable & {
  /**
   * Sends a request until it is answered and returns that: an answer of any status, or the last fault. Unless `never`,
   * a request is repeated if it never left or was rejected (429, or 403 with a wait). If a repeat is harmless, so is
   * one whose answer was lost or names a passing fault. Throws AuditlakeError (exit code 130) if interrupted while
   * waiting with nothing uncertain; if a try may have been acted on, returns that as lost. Throws what `open` throws.
   */
  readonly send: (request: HttpRequest, how: { readonly repeat: Repeat }) => Promise<Sent>;
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

/** The signal of a request bounds all of it; bounds of the library's own would cut a longer `timeoutMs` short. */
export const agentOptions = {
  connect: { timeout: 10_000 },
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 65_536,
} as const;

type Outside = Pick<World, "now" | "sleep" | "random" | "signal"> & Partial<Pick<World, "env">>;

/**
 * Creates a transport with connections of its own, through the proxy of the environment if it is given one. The
 * library's own retries are not used: they know neither the clock of the world nor the effect of a lost answer.
 */
export function newTransport(options: TransportOptions, world: Outside): Transport {
  const kept = newDispatcher(agentOptions, world.env ?? {});
  // A connection that stood idle might be closed at this very moment, and the answer be lost with it.
  const fresh = newDispatcher({ ...agentOptions, pipelining: 0 }, world.env ?? {});
  const turn = newPace(options.perSecond, world);
  const counts = { requests: 0, retries: 0 };
  const { log = noLog } = options;
  const sendOnce = async (request: HttpRequest, repeat: Repeat): Promise<Exchange> => {
    await turn();
    const startMs = world.now();
    counts.requests += 1;
    const agent = repeat === "harmless" ? kept : fresh;
    const found = await sendRequest(request, agent, { ...options, nowMs: startMs });
    const path = `${request.method} ${request.url.pathname}`;
    const bytes =
      request.body?.length ?? (found.outcome === "answered" ? found.answer.body.length : 0);
    log.debug({ path, ms: world.now() - startMs, bytes }, formatOutcome(found));
    return found;
  };
  return {
    counts,
    send: async (request, { repeat }) => {
      let waitedMs = 0;
      let mayHaveActed = false;
      for (let tries = 1; ; tries++) {
        const found = await sendOnce(request, repeat);
        mayHaveActed ||= isOpen(found, request);
        const delayMs = chooseDelay(found, tries, world);
        waitedMs += delayMs;
        const isLast = tries >= options.maxAttempts || waitedMs > maxWaitMs;
        if (isLast || !mayTryAgain(found, request, repeat))
          return toSent(found, mayHaveActed, tries);
        counts.retries += 1;
        const path = request.url.pathname;
        log.info({ path, attempt: tries, delayMs: Math.round(delayMs) }, formatOutcome(found));
        try {
          await pauseFor(delayMs, world);
        } catch (error) {
          if (mayHaveActed && world.signal.aborted)
            return toSent(newUnsentExchange(), mayHaveActed, tries);
          throw error;
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([kept.destroy(), fresh.destroy()]);
    },
  };
}

function isOpen(found: Exchange, { method, leavesOpen }: HttpRequest): boolean {
  if (method === "GET") return false;
  if (found.outcome !== "answered") return found.outcome === "lost";
  return leavesOpen?.(found.answer) === true;
}

// Full jitter, but at least the requested wait.
function chooseDelay(found: Exchange, tries: number, { random }: Pick<World, "random">): number {
  const jitterMs = random() * Math.min(maxDelayMs, baseDelayMs * 2 ** tries);
  const askedMs = found.outcome === "answered" ? (found.answer.retryAfterMs ?? 0) : 0;
  return Math.max(jitterMs, askedMs);
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
    if (atMs > nowMs) await pauseFor(atMs - nowMs, world);
  };
}

const newInterruption = (): AuditlakeError =>
  new AuditlakeError("interrupted", exitCode.interrupted);

/** Builds the outcome of a request that an interrupt prevented. */
export function newUnsentExchange(fault = newInterruption()): Exchange {
  return { outcome: "unsent", why: fault.message, isFinal: true, fault };
}

// A try that never left does not undo an earlier one.
function toSent(found: Exchange, mayHaveActed: boolean, tries: number): Sent {
  return found.outcome === "unsent" && mayHaveActed
    ? { ...found, outcome: "lost", status: undefined, mayHaveActed, tries }
    : { ...found, mayHaveActed, tries };
}

/** Waits; throws AuditlakeError (exit code 130) when interrupted. */
export async function pauseFor(
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

/** Throws AuditlakeError (exit code 130) if interrupted: between two requests nothing is uncertain. */
export function checkInterrupted({ signal }: Pick<World, "signal">): void {
  if (signal.aborted) throw newInterruption();
}

function mayTryAgain(found: Exchange, request: HttpRequest, repeat: Repeat): boolean {
  if (repeat === "never") return false;
  if (found.outcome === "answered") {
    const { answer } = found;
    if (request.isFinal?.(answer)) return false;
    // A rate limit turns a request away, so a repeat does nothing twice.
    if (answer.status === 429 || (answer.status === 403 && asksForWait(answer))) return true;
    return repeat === "harmless" && (isPassing(answer.status) || asksForWait(answer));
  }
  return !found.isFinal && (found.outcome === "unsent" || repeat === "harmless");
}

/** Describes the outcome of a request, to follow its name: `answered 503`, `nothing listens there`. */
export function formatOutcome(found: Exchange): string {
  return found.outcome === "answered" ? `answered ${found.answer.status}` : found.why;
}

type Env = Readonly<Record<string, string | undefined>>;

// Plain http goes to this machine alone, and no proxy leads there.
const loopback = ["localhost", "127.0.0.1", "[::1]", "::1"];

/**
 * What sends requests: through the proxy that the environment names (`HTTPS_PROXY`, but not for what `NO_PROXY` lists, in
 * either spelling), else by itself. Only https is sent that way, so a proxy sees no more than the names of hosts.
 */
export function newDispatcher(options: Agent.Options, env: Env): Dispatcher {
  const proxy = env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "";
  if (proxy === "") return new Agent(options);
  const listed = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: "",
    httpsProxy: proxy,
    noProxy: [listed, ...loopback].filter((each) => each !== "").join(","),
  });
}
