import { request, type Dispatcher } from "undici";
import { AuditlakeError, messageOf } from "../errors.ts";
import { decodeBody, readCapped } from "./body.ts";
import { isUnsent, PassingFault, retryAfterMs, settleFault } from "./faults.ts";

type Headers = Readonly<Record<string, string>>;

/** What is sent to a destination; headers may carry credentials, so nothing of this is ever logged. */
export type HttpRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: URL;
  /** Made anew for each try where it is a function. */
  readonly headers?: Headers | (() => Headers);
  readonly body?: string | Buffer;
  /** Says of an answer that another try would meet the same, though its status sounds passing. */
  readonly isFinal?: (answer: HttpAnswer) => boolean;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly text: string;
  readonly bytes: Buffer;
  /** What Retry-After asks for, in either of its forms. */
  readonly retryAfterMs: number | undefined;
};

/**
 * What became of one request: it was answered (with any status, a redirect too); it never left; or it is not known
 * whether the other side acted on it. `isFinal` where another try would meet the same.
 */
export type Exchange =
  | { readonly outcome: "answered"; readonly answer: HttpAnswer }
  | { readonly outcome: "unsent"; readonly why: string; readonly isFinal: boolean }
  | {
      readonly outcome: "lost";
      readonly why: string;
      readonly isFinal: boolean;
      /** The status, where that much of the answer came. */
      readonly status: number | undefined;
    };

export type ExchangeOptions = {
  /** Of the whole exchange, the body of the answer included. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly nowMs: number;
};

/**
 * Sends one request once and reads the answer; follows no redirect. An interruption does not cut it off, since
 * then nobody would know what came of it. Throws nothing that the network causes.
 */
export async function exchange(
  { method, url, headers, body }: HttpRequest,
  dispatcher: Dispatcher,
  { timeoutMs, maxAnswerBytes, nowMs }: ExchangeOptions,
): Promise<Exchange> {
  let status: number | undefined;
  try {
    const response = await request(url, {
      method,
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        "accept-encoding": "identity",
        "user-agent": "auditlake",
        ...(typeof headers === "function" ? headers() : headers),
      },
      body: body ?? null,
    });
    status = response.statusCode;
    const cap = { maxBytes: maxAnswerBytes, advice: "check the address of the target" };
    const raw = await readCapped(response.body, cap);
    const whole = await decodeBody(raw, response.headers["content-encoding"], cap);
    const date = Date.parse(String(response.headers["date"]));
    const clockMs = Number.isNaN(date) ? nowMs : date;
    const afterMs = retryAfterMs(response.headers["retry-after"], clockMs);
    const answer: HttpAnswer = {
      status,
      headers: response.headers,
      bytes: whole,
      get text() {
        return whole.toString("utf8");
      },
      retryAfterMs: afterMs,
    };
    return { outcome: "answered", answer };
  } catch (error) {
    return unanswered(error, status, timeoutMs);
  }
}

function unanswered(error: unknown, status: number | undefined, timeoutMs: number): Exchange {
  const fault = settleFault(error, timeoutMs, new AbortController().signal);
  const isFinal = fault instanceof AuditlakeError;
  const isTold = isFinal || fault instanceof PassingFault;
  const why = isTold ? messageOf(fault) : `unforeseen fault ${fault.name}`;
  return status === undefined && isUnsent(error)
    ? { outcome: "unsent", why, isFinal }
    : { outcome: "lost", why, isFinal, status };
}
