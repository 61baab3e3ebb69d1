import { z } from "zod";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import {
  messageAccepted,
  messagingFault,
  phoneNumbers,
} from "../../../../schemas/connectors/messaging-answers.ts";
import { AuditlakeError, exitCode, type ExitCode, UsageError } from "../../../base/errors.ts";
import { buildAddress, checkBase, resolveLink, assertWithin } from "../../../base/http/address.ts";
import type { Exchange } from "../../../base/http/exchange.ts";
import { formatOutcome } from "../../../base/http/transport.ts";
import type { DeliveryContext } from "../../../outgoing/targets/destination.ts";
import { parseJson } from "../../../base/rows/json-text.ts";
import { readDigits, type Recipient } from "./recipients.ts";
import { isInconclusive } from "../../../base/http/faults.ts";

/** The messaging service as one account sees it. */
export type Session = {
  /** Sends a message from a phone number, once; a rejected message is retried. */
  readonly send: (phoneNumberId: string, message: string) => Promise<Exchange>;
  /** Throws AuditlakeError unless the service shows what an id names. */
  readonly known: (id: string) => Promise<void>;
  /** All pages of a list; throws AuditlakeError where it cannot be had. */
  readonly list: <T>(path: string, query: Query, page: z.ZodType<Page<T>>) => Promise<T[]>;
};

type Query = Readonly<Record<string, string>>;
type Page<T> = {
  readonly data: T[];
  readonly paging?: { readonly next?: string | undefined } | undefined;
};

const maxPages = 100;

// Only the id of the object matters here.
const anything = z.object({ id: z.string() }).transform(() => ({ data: [] }));

/** A session with the address, version and token of the target; throws UsageError where they will not do. */
export function newSession(
  target: Messaging,
  { http, credential, world }: DeliveryContext,
): Session {
  const base = checkBase(target.base_url, world.env);
  const authorization = `Bearer ${credential("access_token")}`;
  const buildUrl = (path: string, query: Query = {}): URL =>
    buildAddress(base, `/${target.version}/${path}`, query);
  const getUrl = (url: URL): Promise<Exchange> =>
    http.send({ method: "GET", url, headers: { authorization } }, { repeat: "harmless" });
  return {
    send: (phoneNumberId, body) => {
      const headers = { authorization, "content-type": "application/json" };
      const url = buildUrl(`${phoneNumberId}/messages`);
      return http.send({ method: "POST", url, headers, body }, { repeat: "harmful" });
    },
    known: async (id) => {
      parsePage(await getUrl(buildUrl(id)), anything, id, "what has this id");
    },
    list: async (path, query, page) => {
      const all = [];
      let url: URL | undefined = buildUrl(path, query);
      for (let n = 0; url !== undefined && n < maxPages; n++) {
        const found = await getUrl(url);
        const content = parsePage(found, page, path);
        all.push(...content.data);
        const next = content.paging?.next;
        url = next === undefined ? undefined : assertWithin(base, resolveLink(url, next));
      }
      return all;
    },
  };
}

function parsePage<T>(
  found: Exchange,
  page: z.ZodType<Page<T>>,
  path: string,
  expected = "a list under data",
): Page<T> {
  const text = found.outcome === "answered" ? found.answer.text : "";
  const result = page.safeParse(parseJson(text));
  const isFine = found.outcome === "answered" && found.answer.status < 300 && result.success;
  if (isFine) return result.data;
  const verdict = judgeAnswer(found);
  const isKey = verdict.kind === "stop" && verdict.code === exitCode.refused;
  const code = messagingFault.safeParse(parseJson(text)).data?.error.code;
  const what = `${formatOutcome(found)}${code === undefined ? "" : ` with code ${code}`}`;
  throw new AuditlakeError(
    `GET …/${path.replace(/^.*\//, "")}: the service ${what}; expected ${expected}${isKey ? "; check access_token" : ""}; nothing was sent`,
    isKey ? exitCode.refused : exitCode.failed,
  );
}

/** The body of the call that sends one message: free text, or a template with its variables by position. */
export function buildMessage(target: Messaging, { phone, header, body }: Recipient): string {
  const head = {
    messaging_product: target.messaging_product,
    recipient_type: "individual",
    to: phone,
  };
  if (target.send_mode === "text_message") {
    const text = { body: target.text_content, preview_url: target.preview_url };
    return JSON.stringify({ ...head, type: "text", text });
  }
  const components = [
    ...(header === undefined ? [] : [buildComponent("header", [header])]),
    ...(body.length === 0 ? [] : [buildComponent("body", body)]),
  ];
  const template = {
    name: target.template_name,
    language: { code: target.language_code },
    components,
  };
  return JSON.stringify({ ...head, type: "template", template });
}

function buildComponent(type: "header" | "body", values: readonly string[]): object {
  return { type, parameters: values.map((text) => ({ type: "text", text })) };
}

/**
 * Finds the id of the sending phone number (seed 002, B, account_id): the configured one, or the account's number with
 * the displayed digits. Throws UsageError if the account has no such number.
 */
export async function findSenderId(target: Messaging, session: Session): Promise<string> {
  if (target.send_by === "phone_number_id") return target.phone_number_id!;
  const wanted = readDigits(target.phone_number!);
  const numbers = await session.list(`${target.account_id!}/phone_numbers`, {}, phoneNumbers);
  const found = numbers.find((number) => readDigits(number.display_phone_number) === wanted);
  if (found !== undefined) return found.id;
  const known = numbers.map((number) => number.display_phone_number).join(", ") || "none";
  throw new UsageError(
    `phone_number: account ${target.account_id} has no number ${target.phone_number}; it has ${known}; nothing was sent`,
  );
}

/** What one attempt to send a message came to. */
export type Verdict =
  | { readonly kind: "accepted" }
  /** Rejected for now; nothing was sent. */
  | { readonly kind: "wait"; readonly why: string; readonly afterMs: number | undefined }
  /** This recipient gets no message; others may. */
  | { readonly kind: "refused"; readonly why: string }
  /** Nothing can be sent before a person fixes something. */
  | { readonly kind: "stop"; readonly why: string; readonly code: ExitCode }
  /** It is unknown whether the message was sent. */
  | { readonly kind: "uncertain"; readonly why: string };

// Codes of the service's public reference. Too much at once, or out of service for a moment.
const passing = new Set([2, 4, 80007, 130429, 131016, 131048, 131056, 131057]);

// The key is not known, expired, or has not the right.
const key = new Set([0, 3, 10, 190]);

// Faults of the sender, the account or the template, independent of the recipient.
const sender = [33, 368, 130497, 131005, 131008, 131031, 131042, 131045, 133010];
const template = [132000, 132001, 132007, 132015, 132016];
const general = new Set([...sender, ...template]);

/** Judges a send by the code of the answer, or without one by its status. */
export function judgeAnswer(found: Exchange): Verdict {
  if (found.outcome === "unsent") return { kind: "stop", why: found.why, code: exitCode.failed };
  if (found.outcome === "lost") return { kind: "uncertain", why: found.why };
  const { status, text, retryAfterMs } = found.answer;
  const content = parseJson(text);
  const code = messagingFault.safeParse(content).data?.error.code;
  if (code !== undefined)
    return judgeCode(code, `answered ${status} with code ${code}`, retryAfterMs);
  if (messageAccepted.safeParse(content).success && status < 300) return { kind: "accepted" };
  if (status === 429) return { kind: "wait", why: formatOutcome(found), afterMs: retryAfterMs };
  if (status === 401 || status === 403)
    return { kind: "stop", why: formatOutcome(found), code: exitCode.refused };
  if (status >= 300 && !isInconclusive(status))
    return { kind: "stop", why: formatOutcome(found), code: exitCode.failed };
  return {
    kind: "uncertain",
    why: `${formatOutcome(found)} without the outcome of the message`,
  };
}

function judgeCode(code: number, why: string, afterMs: number | undefined): Verdict {
  if (passing.has(code)) return { kind: "wait", why, afterMs };
  if (key.has(code) || (code >= 200 && code <= 299))
    return { kind: "stop", why, code: exitCode.refused };
  if (general.has(code)) return { kind: "stop", why, code: exitCode.failed };
  return { kind: "refused", why };
}
