import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { type Log, newLog } from "../../base/terminal/log.ts";
import type { World } from "../../base/world.ts";
import { buildAddress, checkBase, resolveLink, assertWithin } from "../../base/http/address.ts";
import type { HttpAnswer, Reading } from "../../base/http/exchange.ts";
import { isPassing, PassingFault } from "../../base/http/faults.ts";
import { asksForWait } from "../../base/http/waiting.ts";
import {
  newTransport,
  formatOutcome,
  type Sent,
  type Transport,
} from "../../base/http/transport.ts";
import { LastingPageError, PageError } from "../records/error.ts";
import { newScrub, type Scrub, scrubError } from "../../base/home/secrets.ts";
import { appendSource, describeRefusal, UnservedPage } from "./faults.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { readKey } from "./key.ts";

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

/** One service over HTTP; counts what it sends. */
export type Client = AsyncDisposable & {
  /**
   * Requests a path of the service, or the address of an earlier answer, and opens the answer. Temporary faults, and a
   * PageError from `open`, are retried. Answers with a status in `opened` are opened (default: only 200); the body
   * counts only for 200.
   */
  readonly get: <T>(
    path: string | URL,
    parameters: Readonly<Record<string, string>>,
    open: (answer: HttpAnswer) => T,
    opened?: readonly number[],
  ) => Promise<T>;
  /** Sends JSON by PATCH to a path of the service, once: never retried, regardless of the answer. */
  readonly patch: (path: string, json: string) => Promise<PatchResult>;
  readonly counts: Transport["counts"];
};

const maxRedirects = 5;

const longPage = "lower audits.paging.size or raise limits.max_page_bytes of the source";

/** A client for one service; throws UsageError on an address that would carry the key in the clear. */
export function newClient(options: ClientOptions, world: World): Client {
  const base = checkBase(options.baseUrl, world.env);
  const { now, sleep, random, signal } = world;
  const transport = newTransport(
    { ...options, maxAnswerBytes: options.maxPageBytes, longAnswer: longPage },
    { now, sleep, random, signal },
  );
  const scrub = newScrub([options.key]);
  const headers = buildHeaders(options);
  const get: Client["get"] = async (path, parameters, open, statuses = [200]) => {
    const target = resolveTarget(base, path, parameters);
    let opened: { readonly content: ReturnType<typeof open> } | undefined;
    const { url } = target;
    const sent = await transport.send(
      {
        method: "GET",
        url,
        headers,
        signal,
        chooseReading: (status) => chooseReading(status, statuses),
        follow: (from, location, hops) => resolveRedirect(base, from, location, hops, target),
        open: (answer) => {
          if (statuses.includes(answer.status)) opened = { content: openAnswer(open, answer) };
        },
      },
      { repeat: "harmless" },
    );
    if (opened !== undefined && sent.outcome === "answered") return opened.content;
    throw describeFault(sent, target, scrub);
  };
  const patch: Client["patch"] = async (path, json) => {
    const url = buildAddress(base, path, {});
    const sent = await transport.send(
      {
        method: "PATCH",
        url,
        headers: { ...headers, "content-type": "application/json" },
        body: json,
        // The body is not shown (seed 000, Endpoints, rule 3), so the status alone counts.
        chooseReading: () => "beginning",
      },
      { repeat: "never" },
    );
    return readPatchResult(sent, url);
  };
  // Errors are printed, stored and shown elsewhere, so the key is removed here.
  const withoutKey = (error: unknown): never => {
    throw scrubError(error, (text) => appendSource(scrub(text), options.sourceName));
  };
  return {
    counts: transport.counts,
    get: (path, parameters, open, statuses) =>
      get(path, parameters, open, statuses).catch(withoutKey),
    patch: (path, json) => patch(path, json).catch(withoutKey),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** Where a request goes, and what messages call it: an address that the service gave is not shown. */
type Target = { readonly url: URL; readonly name: string; readonly address: string };

function resolveTarget(
  base: URL,
  path: string | URL,
  parameters: Readonly<Record<string, string>>,
): Target {
  if (path instanceof URL)
    return {
      url: assertWithin(base, resolveLink(base, path.href)),
      name: "of the next page",
      address: `of the next page at ${base.origin}`,
    };
  const url = buildAddress(base, path, parameters);
  return { url, name: url.pathname, address: url.origin + url.pathname };
}

function buildHeaders(options: ClientOptions): Record<string, string> {
  return {
    authorization: `${options.authScheme} ${options.key}`,
    accept: "application/json, application/x-ndjson, text/csv;q=0.9",
  };
}

// The body of a refusal is for people; bodies of other answers can have records.
function chooseReading(status: number, opened: readonly number[]): Reading {
  if (status === 200) return "whole";
  if (opened.includes(status)) return "nothing";
  return status >= 400 && !isPassing(status) ? "beginning" : "nothing";
}

function resolveRedirect(
  base: URL,
  from: URL,
  location: string,
  hops: number,
  { address }: Target,
): URL {
  if (hops > maxRedirects)
    throw new AuditlakeError(
      `GET ${address} was redirected more than ${maxRedirects} times; check base_url`,
    );
  return assertWithin(base, resolveLink(from, location));
}

// An incomplete page counts as a passing fault, like one of the network; a complete but wrong page does not.
function openAnswer<T>(open: (answer: HttpAnswer) => T, answer: HttpAnswer): T {
  try {
    return open(answer);
  } catch (error) {
    const passes = error instanceof PageError && !(error instanceof LastingPageError);
    throw passes ? new PassingFault(error.message) : error;
  }
}

function describeFault(sent: Sent, { name, address }: Target, scrub: Scrub): Error {
  const fault =
    sent.outcome === "answered" ? describeRefusal(sent.answer, name, scrub) : sent.fault;
  if (!(fault instanceof PassingFault)) return fault;
  const hint = "stored pages are retained; run again later, and check base_url if it persists";
  const { afterMs = 0, message } = fault;
  const asked = afterMs === 0 ? "" : ` and asked to wait ${Math.ceil(afterMs / 1000)} s`;
  const tries = sent.tries === 1 ? "1 attempt" : `${sent.tries} attempts`;
  const text = `GET ${address} failed after ${tries}: ${message}${asked}; ${hint}`;
  return isOfPage(sent) ? new UnservedPage(text) : new AuditlakeError(text);
}

// What never left, or is to wait, is no fault of the page that was requested.
function isOfPage(sent: Sent): boolean {
  if (sent.outcome !== "answered") return sent.outcome === "lost";
  const { answer } = sent;
  return answer.status !== 429 && answer.retryAfterMs === undefined && !asksForWait(answer);
}

/** Creates a client for a configured source; throws UsageError if address or key is missing. */
export function openClient(settings: Settings, source: NamedSource, world: World): Client {
  if (source.base_url === undefined)
    throw new UsageError(
      `source ${source.name} has no address; set AUDITLAKE_BASE_URL, or sources.${source.name}.base_url in the configuration`,
    );
  const key = readKey(source, settings.configFolder, world.env);
  return newClient(
    {
      baseUrl: source.base_url,
      authScheme: source.auth_scheme,
      key,
      sourceName: source.name,
      timeoutMs: source.limits.timeout,
      maxPageBytes: source.limits.max_page_bytes,
      maxAttempts: source.limits.max_attempts,
      log: newLog(settings.flags.logLevel, [key], world),
    },
    world,
  );
}

/** What the service claims to have refused in a PATCH: the set, the key, or the existence of the policy. */
export type Refusal = "set" | "key" | "policy";

/**
 * Outcome of a PATCH: accepted, or unknown with the reason `why`. `refused` is the service's claim that it did not act.
 */
export type PatchResult =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly why: string; readonly refused?: Refusal };

// These statuses concern the time of the request, not its body.
const busy: readonly number[] = [408, 425, 429];

/** What the outcome of a PATCH means that was sent once. Throws AuditlakeError where the service was not reached. */
export function readPatchResult(sent: Sent, { origin, pathname }: URL): PatchResult {
  if (sent.outcome === "answered") return explainAnswer(sent.answer, pathname);
  if (sent.outcome === "unsent")
    throw new AuditlakeError(`PATCH ${origin}${pathname} was not sent: ${sent.why}`);
  return { accepted: false, why: formatOutcome(sent) };
}

function explainAnswer(answer: HttpAnswer, pathname: string): PatchResult {
  const { status } = answer;
  const what = `the service answered ${status} to PATCH ${pathname}`;
  if (status >= 200 && status < 300) return { accepted: true };
  if (status >= 400 && status < 500 && !busy.includes(status) && !asksForWait(answer))
    return { accepted: false, why: what, refused: classifyRefusal(status) };
  const isRedirect = status >= 300 && status < 400;
  return {
    accepted: false,
    why: isRedirect ? `${what}, a redirect; redirects are not followed` : what,
  };
}

function classifyRefusal(status: number): Refusal {
  if (status === 401 || status === 403) return "key";
  return status === 404 ? "policy" : "set";
}
