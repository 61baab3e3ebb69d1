import { Agent, request, type Dispatcher } from "undici";
import { AuditlakeError, UsageError, exitCode, messageOf } from "../errors.ts";
import type { World } from "../world.ts";
import { decodeBody, readCapped } from "./body.ts";

export type ClientOptions = {
  readonly baseUrl: string;
  readonly authScheme: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly maxPageBytes: number;
  readonly maxAttempts: number;
};

export type Answer = {
  readonly body: Buffer;
  readonly headers: Dispatcher.ResponseData["headers"];
  /** The service's clock, milliseconds, where it sends one. */
  readonly serverTimeMs: number | undefined;
};

/** One service over HTTP; counts what it sends. */
export type Client = AsyncDisposable & {
  readonly get: (path: string, parameters?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly counts: { requests: number; retries: number };
};

/** A fault that passes: worth another try, at the earliest after `afterMs`. */
class PassingFault extends Error {
  override name = "PassingFault";
  readonly afterMs: number | undefined;
  constructor(message: string, afterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

const retried = new Set([408, 425, 429, 500, 502, 503, 504]);
const baseDelayMs = 500;
const maxDelayMs = 30_000;
const maxRetryAfterMs = 900_000;
const maxRedirects = 5;

/** A client for one service; throws UsageError on an address that would carry the key in the clear. */
export function newClient(options: ClientOptions, world: World): Client {
  const base = checkBase(options.baseUrl);
  const agent = new Agent({ connect: { timeout: 10_000 }, maxHeaderSize: 65_536 });
  const counts = { requests: 0, retries: 0 };
  const attempt = async (url: URL): Promise<Answer> => {
    counts.requests += 1;
    return send(url, options, agent, world);
  };
  return {
    counts,
    get: async (path, parameters = {}) => {
      const url = resolveUrl(base, path, parameters);
      return withRetries(() => attempt(url), url, options.maxAttempts, counts, world);
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

function checkBase(text: string): URL {
  const url = new URL(text);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLoopback)
    throw new UsageError(
      `base_url ${url.origin} is plain http, which would show the key; expected https`,
    );
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      "base_url holds a user name or password; put the key into the environment instead",
    );
  return url;
}

// A path of the service, or the address of a next page, which must stay with the same origin.
function resolveUrl(base: URL, path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = /^https?:/.test(path) ? new URL(path) : new URL(base.href.replace(/\/+$/, "") + path);
  if (url.origin !== base.origin)
    throw new AuditlakeError(
      `the service points to another origin, ${url.origin}; refused, since the key would go there`,
    );
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

async function withRetries(
  attempt: () => Promise<Answer>,
  url: URL,
  maxAttempts: number,
  counts: { retries: number },
  world: World,
): Promise<Answer> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PassingFault) || world.signal.aborted) throw error;
      if (n >= maxAttempts || (error.afterMs ?? 0) > maxRetryAfterMs) throw gaveUp(error, url, n);
      counts.retries += 1;
      const jitterMs = world.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** n);
      await world.sleep(Math.max(jitterMs, error.afterMs ?? 0), world.signal);
    }
  }
}

function gaveUp(error: Error, url: URL, attempts: number): AuditlakeError {
  const hint = "what was read so far is kept; run again later, and check base_url if this goes on";
  return new AuditlakeError(
    `GET ${url.origin}${url.pathname} failed after ${attempts} attempts: ${messageOf(error)}; ${hint}`,
  );
}

async function send(
  start: URL,
  options: ClientOptions,
  agent: Agent,
  world: World,
): Promise<Answer> {
  const signal = AbortSignal.any([world.signal, AbortSignal.timeout(options.timeoutMs)]);
  let url = start;
  try {
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const response = await request(url, {
        dispatcher: agent,
        signal,
        headers: headersOf(options),
      });
      const location = redirectOf(response);
      if (location === undefined) return await toAnswer(response, url, options, world);
      await response.body.dump();
      url = resolveUrl(start, new URL(location, url).href, {});
    }
    throw new AuditlakeError(
      `GET ${start.origin}${start.pathname} was redirected more than ${maxRedirects} times; check base_url`,
    );
  } catch (error) {
    throw settleFault(error, options, world);
  }
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

async function toAnswer(
  response: Dispatcher.ResponseData,
  url: URL,
  options: ClientOptions,
  world: World,
): Promise<Answer> {
  const { statusCode, headers } = response;
  const serverTimeMs = Date.parse(String(headers["date"]));
  if (statusCode !== 200) {
    await response.body.dump({ limit: 65_536 });
    throw refusal(statusCode, retryAfterMs(headers["retry-after"], world.now()), url);
  }
  const raw = await readCapped(response.body, options.maxPageBytes);
  const body = await decodeBody(raw, headers["content-encoding"], options.maxPageBytes);
  return { body, headers, serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs };
}

function refusal(status: number, afterMs: number | undefined, url: URL): Error {
  const what = `the service answered ${status} to GET ${url.pathname}`;
  if (status === 401 || status === 403)
    return new AuditlakeError(
      `${what}: it refused the key; check the key and the rights of its user`,
      exitCode.refused,
    );
  if (retried.has(status)) return new PassingFault(what, afterMs);
  return new AuditlakeError(`${what}, expected 200; check base_url and sources.<name>.audits`);
}

/** Both forms of Retry-After as milliseconds from now. */
function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

// Network faults pass; what is ours, or the person's to mend, does not. The text of a network error could
// quote a header, so only its code is shown.
function settleFault(error: unknown, options: ClientOptions, world: World): Error {
  if (error instanceof AuditlakeError || error instanceof PassingFault) return error;
  if (world.signal.aborted) return new AuditlakeError("interrupted", exitCode.interrupted);
  if (error instanceof Error && error.name === "TimeoutError")
    return new PassingFault(`no whole answer within ${options.timeoutMs / 1000} s`);
  const code =
    error instanceof Error && "code" in error
      ? String(error.code)
      : error instanceof Error
        ? error.name
        : "unknown";
  return new PassingFault(networkFaults[code] ?? `network fault ${code}`);
}

const networkFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (ECONNREFUSED)",
  ENOTFOUND: "the host name does not resolve (ENOTFOUND)",
  EAI_AGAIN: "the host name does not resolve for now (EAI_AGAIN)",
  ECONNRESET: "the connection was reset (ECONNRESET)",
  UND_ERR_SOCKET: "the connection broke off (UND_ERR_SOCKET)",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 10 s (UND_ERR_CONNECT_TIMEOUT)",
  Z_DATA_ERROR: "the compressed body is damaged (Z_DATA_ERROR)",
  Z_BUF_ERROR: "the compressed body is cut off (Z_BUF_ERROR)",
};
