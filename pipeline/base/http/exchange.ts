import { request, type Dispatcher } from "undici";
import { AuditlakeError, getMessage } from "../errors.ts";
import { latestMs } from "../time/periods.ts";
import { decodeBody, discardBody, readBeginning, readCapped, type Cap } from "./body.ts";
import { isUnsent, PassingFault, classifyFault } from "./faults.ts";
import { firstServerTimeMs, readRequestedWaitMs } from "./waiting.ts";

type Headers = Readonly<Record<string, string>>;

/** How much of a body is read: all, or its start; the rest may have records, or never end. */
export type Reading = "whole" | "beginning" | "nothing";

/** A request; headers may have credentials, so it is never logged. */
export type HttpRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: URL;
  /** Called for each try if it is a function. */
  readonly headers?: Headers | (() => Headers);
  readonly body?: string | Buffer;
  /** Returns whether a retry would give the same answer, although its status is retryable. */
  readonly isFinal?: (answer: HttpAnswer) => boolean;
  /** Returns whether the service may have acted on the request despite the answer; default false. */
  readonly leavesOpen?: (answer: HttpAnswer) => boolean;
  /** Takes an answer apart. A PassingFault it throws is worth another try; anything else is thrown by the sending. */
  readonly open?: (answer: HttpAnswer) => void;
  /** Where a redirect leads, or an error where it may not; `hops` counts from 1. None is followed if left out. */
  readonly follow?: (from: URL, location: string, hops: number) => URL;
  /** How much is read of the body of an answer; all of it if left out. */
  readonly chooseReading?: (status: number) => Reading;
  /** Aborts the exchange; left out if its outcome would be unknown then. */
  readonly signal?: AbortSignal;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  /** The final address, after redirects. */
  readonly url: string;
  readonly text: string;
  readonly body: Buffer;
  /** The requested wait, by Retry-After or an exhausted rate limit. */
  readonly retryAfterMs: number | undefined;
  /** The other side's clock, milliseconds, where it sends one. */
  readonly serverTimeMs: number | undefined;
  /** False where the connection's end is the body's end: then nothing shows that the body is whole. */
  readonly isFramed: boolean;
};

/** Why a request has no answer: `isFinal` where another try would meet the same. */
type NoAnswer = { readonly why: string; readonly isFinal: boolean; readonly fault: Error };

/**
 * The outcome of one request: it was answered (with any status, a redirect too), it never left, or it is unknown
 * whether the other side acted on it.
 */
export type Exchange =
  | { readonly outcome: "answered"; readonly answer: HttpAnswer }
  | ({ readonly outcome: "unsent" } & NoAnswer)
  | ({
      readonly outcome: "lost";
      /** The status, where that much of the answer came. */
      readonly status: number | undefined;
    } & NoAnswer);

export type ExchangeOptions = {
  /** Of the whole exchange, redirects and the body of the answer included. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  /** What the error about a longer answer advises. */
  readonly longAnswer?: string;
  readonly nowMs: number;
};

/**
 * Sends one request once and reads the answer. Throws nothing that the network causes, and what `open` throws unless
 * that passes.
 */
export async function sendRequest(
  sent: HttpRequest,
  dispatcher: Dispatcher,
  options: ExchangeOptions,
): Promise<Exchange> {
  const found = await attemptRequest(sent, dispatcher, options);
  if (found.outcome !== "answered") return found;
  try {
    sent.open?.(found.answer);
    return found;
  } catch (fault) {
    if (!(fault instanceof PassingFault)) throw fault;
    const { message: why } = fault;
    return { outcome: "lost", status: found.answer.status, why, isFinal: false, fault };
  }
}

async function attemptRequest(
  sent: HttpRequest,
  dispatcher: Dispatcher,
  options: ExchangeOptions,
): Promise<Exchange> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = sent.signal === undefined ? timeout : AbortSignal.any([sent.signal, timeout]);
  let status: number | undefined;
  try {
    let { url } = sent;
    for (let hops = 1; ; hops++) {
      const response = await request(url, { ...toSentForm(sent), dispatcher, signal });
      const location = sent.follow && readRedirect(response);
      if (location === undefined) {
        status = response.statusCode;
        return { outcome: "answered", answer: await readAnswer(response, url, sent, options) };
      }
      discardBody(response.body);
      url = sent.follow!(url, location, hops);
    }
  } catch (error) {
    return describeNoAnswer(error, status, options.timeoutMs, sent.signal);
  }
}

type SentForm = Pick<HttpRequest, "method"> & {
  readonly headers: Headers;
  readonly body: string | Buffer | null;
};

function toSentForm({ method, headers, body }: HttpRequest): SentForm {
  const own = typeof headers === "function" ? headers() : headers;
  const common = { "accept-encoding": "identity", "user-agent": "auditlake" };
  return { method, headers: { ...common, ...own }, body: body ?? null };
}

function readRedirect({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return isRedirect && typeof location === "string" ? location : undefined;
}

// An implausible year in the service's clock counts as no time.
function readServerTime({ date }: Dispatcher.ResponseData["headers"]): number | undefined {
  const ms = Date.parse(String(date));
  return ms >= firstServerTimeMs && ms <= latestMs ? ms : undefined;
}

async function readAnswer(
  response: Dispatcher.ResponseData,
  url: URL,
  { chooseReading }: HttpRequest,
  { maxAnswerBytes, longAnswer = "check the address of the target", nowMs }: ExchangeOptions,
): Promise<HttpAnswer> {
  const { statusCode: status, headers } = response;
  const cap = { maxBytes: maxAnswerBytes, advice: longAnswer };
  const body = await readBody(response, chooseReading?.(status) ?? "whole", cap);
  const serverTimeMs = readServerTime(headers);
  return {
    status,
    headers,
    url: url.href,
    body,
    get text() {
      return body.toString("utf8");
    },
    retryAfterMs: readRequestedWaitMs(status, headers, serverTimeMs ?? nowMs),
    serverTimeMs,
    // gzip shows nothing: a body of several members may be cut off between two of them.
    isFramed:
      headers["content-length"] !== undefined ||
      /\bchunked\b/i.test(String(headers["transfer-encoding"])),
  };
}

async function readBody(
  { body, headers }: Dispatcher.ResponseData,
  reading: Reading,
  cap: Cap,
): Promise<Buffer> {
  const encoding = headers["content-encoding"];
  if (reading === "whole") return decodeBody(await readCapped(body, cap), encoding, cap);
  if (reading === "beginning" && (encoding ?? "identity") === "identity")
    return readBeginning(body);
  discardBody(body);
  return Buffer.alloc(0);
}

function describeNoAnswer(
  error: unknown,
  status: number | undefined,
  timeoutMs: number,
  signal: AbortSignal = new AbortController().signal,
): Exchange {
  const fault = classifyFault(error, timeoutMs, signal);
  const isFinal = fault instanceof AuditlakeError;
  const isForeseen = isFinal || fault instanceof PassingFault;
  const why = isForeseen ? getMessage(fault) : `unexpected error ${fault.name}`;
  return status === undefined && isUnsent(error)
    ? { outcome: "unsent", why, isFinal, fault }
    : { outcome: "lost", why, isFinal, status, fault };
}
