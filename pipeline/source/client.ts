import { Agent, request, type Dispatcher } from "undici";
import { AuditlakeError } from "../errors.ts";
import { noLog, type Log } from "../terminal/log.ts";
import type { World } from "../world.ts";
import { addressOf, checkBase, followed, within } from "../http/address.ts";
import { decodeBody, readCapped } from "../http/body.ts";
import { isPassing, PassingFault, retryAfterMs } from "../http/faults.ts";
import { newScrub, type Scrub, scrubbed } from "../home/secrets.ts";
import { inItsName, refusal, settleRead } from "./faults.ts";
import { ownWords } from "./own-words.ts";
import { sendOnce, type Sent } from "./patch.ts";

export type ClientOptions = {
  readonly baseUrl: string;
  readonly authScheme: string;
  readonly key: string;
  /** The name of the source in the configuration, for messages. */
  readonly sourceName?: string;
  /** Of one attempt, its body included. */
  readonly timeoutMs: number;
  readonly maxPageBytes: number;
  readonly maxAttempts: number;
  readonly log?: Log;
};

export type Answer = {
  readonly body: Buffer;
  readonly headers: Dispatcher.ResponseData["headers"];
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** The service's clock, milliseconds, where it sends one. */
  readonly serverTimeMs: number | undefined;
  /** False where the connection's end is the body's end: then nothing tells that the body is whole. */
  readonly isFramed: boolean;
};

/** One service over HTTP; counts what it sends. */
export type Client = AsyncDisposable & {
  /**
   * Asks for a path of the service, or for the address that an earlier answer gave, and opens the answer.
   * Faults that pass, and a PageError that `open` throws, are tried again.
   */
  readonly get: <T>(
    path: string | URL,
    parameters: Readonly<Record<string, string>>,
    open: (answer: Answer) => T,
  ) => Promise<T>;
  /** Sends JSON by PATCH to a path of the service, once: never again, whatever comes back. */
  readonly patch: (path: string, json: string) => Promise<Sent>;
  readonly counts: { requests: number; retries: number };
};

const baseDelayMs = 500;
const maxDelayMs = 30_000;
const maxWaitMs = 900_000;
const maxRedirects = 5;
const maxHeaderBytes = 65_536;

/** The signal of a request bounds all of it; bounds of the library's own would cut a longer `limits.timeout` short. */
export const agentOptions = {
  connect: { timeout: 10_000 },
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: maxHeaderBytes,
} as const;

const longPage = "lower audits.paging.size or raise limits.max_page_bytes of the source";

/** A client for one service; throws UsageError on an address that would carry the key in the clear. */
export function newClient(options: ClientOptions, world: World): Client {
  const base = checkBase(options.baseUrl, world.env);
  const agent = new Agent(agentOptions);
  const counts = { requests: 0, retries: 0 };
  const { log = noLog } = options;
  const scrub = newScrub([options.key]);
  const judging: Judging = { options, scrub, world };
  const get: Client["get"] = async (path, parameters, open) => {
    const target = targetOf(base, path, parameters);
    const attempt = async (): Promise<ReturnType<typeof open>> => {
      counts.requests += 1;
      const startMs = world.now();
      const answer = await send(target, base, agent, judging);
      const { pathname } = target.url;
      const facts = { path: pathname, ms: world.now() - startMs, bytes: answer.body.length };
      log.debug(facts, "answered");
      return open(answer);
    };
    return withRetries(attempt, target, options, counts, world);
  };
  const patch: Client["patch"] = async (path, json) => {
    const url = addressOf(base, path, {});
    counts.requests += 1;
    const startMs = world.now();
    const sent = await sendOnce(url, json, headersOf(options), options.timeoutMs);
    const facts = { path: url.pathname, ms: world.now() - startMs, bytes: json.length };
    log.info(facts, sent.accepted ? "accepted" : sent.why);
    return sent;
  };
  // Whatever goes wrong is told, stored and shown elsewhere; the key goes out of it here.
  const withoutKey = (error: unknown): never => {
    throw scrubbed(error, (text) => inItsName(scrub(text), options.sourceName));
  };
  return {
    counts,
    get: (path, parameters, open) => get(path, parameters, open).catch(withoutKey),
    patch: (path, json) => patch(path, json).catch(withoutKey),
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** Where a request goes, and what messages call it: an address that the service gave is not shown. */
type Target = { readonly url: URL; readonly name: string; readonly address: string };

function targetOf(
  base: URL,
  path: string | URL,
  parameters: Readonly<Record<string, string>>,
): Target {
  if (path instanceof URL)
    return {
      url: within(base, followed(base, path.href)),
      name: "of the next page",
      address: `of the next page at ${base.origin}`,
    };
  const url = addressOf(base, path, parameters);
  return { url, name: url.pathname, address: url.origin + url.pathname };
}

async function withRetries<T>(
  attempt: () => Promise<T>,
  { url, address }: Target,
  { maxAttempts, timeoutMs, log = noLog }: ClientOptions,
  counts: { retries: number },
  world: World,
): Promise<T> {
  let waitedMs = 0;
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      const fault = settleRead(error, timeoutMs, world.signal);
      if (!(fault instanceof PassingFault)) throw fault;
      const jitterMs = world.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** n);
      const delayMs = Math.max(jitterMs, fault.afterMs ?? 0);
      waitedMs += delayMs;
      if (n >= maxAttempts || waitedMs > maxWaitMs) throw gaveUp(fault, address, n);
      counts.retries += 1;
      log.info({ path: url.pathname, attempt: n, delayMs: Math.round(delayMs) }, fault.message);
      await world.sleep(delayMs, world.signal);
    }
  }
}

function gaveUp({ message, afterMs = 0 }: PassingFault, address: string, attempts: number): Error {
  const hint = "what was read so far is kept; run again later, and check base_url if this goes on";
  const asked = afterMs === 0 ? "" : ` and asked to wait ${Math.ceil(afterMs / 1000)} s`;
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return new AuditlakeError(`GET ${address} failed after ${tries}: ${message}${asked}; ${hint}`);
}

/** What an answer is judged with. */
type Judging = { readonly options: ClientOptions; readonly scrub: Scrub; readonly world: World };

async function send(target: Target, base: URL, agent: Agent, judging: Judging): Promise<Answer> {
  const { options, world } = judging;
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(options.timeoutMs)]);
  let { url } = target;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await request(url, {
      dispatcher: agent,
      signal,
      headers: headersOf(options),
    });
    const location = redirectOf(response);
    if (location === undefined) return toAnswer(response, url, target.name, judging);
    discard(response.body);
    url = within(base, followed(url, location));
  }
  throw new AuditlakeError(
    `GET ${target.address} was redirected more than ${maxRedirects} times; check base_url`,
  );
}

function headersOf(options: ClientOptions): Record<string, string> {
  return {
    authorization: `${options.authScheme} ${options.key}`,
    accept: "application/json, application/x-ndjson, text/csv;q=0.9",
    "accept-encoding": "identity",
    "user-agent": "auditlake",
  };
}

function redirectOf(response: Dispatcher.ResponseData): string | undefined {
  const location = response.headers["location"];
  return response.statusCode >= 300 && response.statusCode < 400 && typeof location === "string"
    ? location
    : undefined;
}

// A body that nobody reads may never end, so its connection is given up.
function discard(body: Dispatcher.ResponseData["body"]): void {
  body.on("error", () => undefined).destroy();
}

async function toAnswer(
  response: Dispatcher.ResponseData,
  url: URL,
  name: string,
  { options: { maxPageBytes }, scrub, world }: Judging,
): Promise<Answer> {
  const { statusCode, headers } = response;
  const date = Date.parse(String(headers["date"]));
  const serverTimeMs = Number.isNaN(date) ? undefined : date;
  if (statusCode !== 200) {
    // Beside other answers there may be records.
    const isRefusal = statusCode >= 400 && statusCode < 500 && !isPassing(statusCode);
    const words = isRefusal
      ? await ownWords(response.body, headers["content-encoding"], scrub)
      : undefined;
    if (!isRefusal) discard(response.body);
    const afterMs = retryAfterMs(headers["retry-after"], serverTimeMs ?? world.now());
    throw refusal(statusCode, afterMs, name, words);
  }
  const cap = { maxBytes: maxPageBytes, advice: longPage };
  const raw = await readCapped(response.body, cap);
  const body = await decodeBody(raw, headers["content-encoding"], cap);
  // gzip says nothing: a body of several members may be cut between two of them.
  const isFramed =
    headers["content-length"] !== undefined ||
    /\bchunked\b/i.test(String(headers["transfer-encoding"]));
  return { body, headers, url: url.href, serverTimeMs, isFramed };
}
