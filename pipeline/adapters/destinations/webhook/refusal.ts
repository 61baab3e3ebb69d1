import type { HttpAnswer } from "../../../base/http/exchange.ts";
import { parseJson } from "../../../base/rows/json-text.ts";

// Receivers that always answer 200 report a refusal in the body only. The forms are those of public chats, gateways and
// collectors. A value is never shown, since it may echo what was sent.

type Fields = Readonly<Record<string, unknown>>;

/** Finds a refusal in a successful answer; undefined if none. */
export function findRefusal({ text }: Pick<HttpAnswer, "text">): string | undefined {
  const body = text.replace(/^\ufeff/, "").trim();
  const content = parseJson(body);
  if (typeof content === "object" && content !== null)
    return findRefusalInJson(content, wrapperDepth);
  return findRefusalInText(typeof content === "string" ? content : body);
}

// Also XML is searched as text, since an answer that is cut off does not parse.
function findRefusalInText(text: string): string | undefined {
  if (/^<(?:!doctype html|html|head|body)\b/i.test(text)) return "an HTML page";
  if (/<(?:\w+:)?(?:fault|error)\b/i.test(text) && text.startsWith("<")) return "a fault in XML";
  if (/^errors?\W*(?:0|none|null|false)\b/i.test(text)) return undefined;
  const isRefusal = refusalWords.test(text) || /\bfailed with error\b/i.test(text);
  return isRefusal ? "text that starts like an error" : undefined;
}

const refusalWords =
  /^(?:error|errors|exception|fail|failed|failure|fatal|invalid|denied|forbidden|unauthori[sz]ed|rejected|refused|not found|not allowed|missing|bad request|access denied|rate limit|too many|no(?=_))(?:$|[\s:_,.!-])/i;

const wrappers = ["header", "response", "result", "meta", "status"];
const wrapperDepth = 2;

function findRefusalInJson(content: object, depth: number): string | undefined {
  if (Array.isArray(content)) return findFirst(content.slice(0, mostElements), depth);
  const fields = content as Fields;
  const own = Object.entries(fields).find(([name, value]) => isRefusal(normalizeName(name), value));
  if (own !== undefined) return `"${own[0].slice(0, longestName)}"`;
  const inner = Object.keys(fields).filter((name) => wrappers.includes(normalizeName(name)));
  return findFirst(
    inner.map((name) => fields[name]),
    depth,
  );
}

// A receiver may echo rows, in which such names mean something else: only what wraps an answer is searched.
function findFirst(values: readonly unknown[], depth: number): string | undefined {
  if (depth === 0) return undefined;
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    const found = findRefusalInJson(value, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const mostElements = 1000;
const longestName = 40;

// `is_success`, `isSuccess` and `IsSuccess` are one name.
function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

const yesNames =
  /^(?:is)?(?:ok|success|successful|succeeded|accepted|delivered|valid|successstatuscode)$/;
const faultNames =
  /^(?:err|errors?|errormessages?|errmsgs|errordescription|errordetails?|faults?|faultstring|exceptions?|failures?|failed|failedcount|rejected|rejectedcount|invalid|partialfailure)$/;
const codeNames = /^(?:errcode|errorcode|errno|retcode|ret|subcode)$/;
const statusNames =
  /^(?:code|status|statuscode|httpstatus|httpcode|resultcode|result|state|outcome)$/;

const noWords = ["false", "no", "0"];
const emptyWords = ["", "0", "false", "no", "none", "null", "ok", "success", "no error"];
const refusalStates =
  /^(?:error|errors|fail|failed|failure|fault|rejected|refused|denied|forbidden|invalid|unauthori[sz]ed|ko|nok|not_?ok|bad_?request|partial|partial_?failure)$/;

function isRefusal(name: string, value: unknown): boolean {
  const word = typeof value === "string" ? value.trim().toLowerCase() : undefined;
  if (yesNames.test(name))
    return value === false || value === 0 || (word !== undefined && noWords.includes(word));
  if (faultNames.test(name)) return !isEmpty(value, word);
  if (codeNames.test(name)) return !isEmpty(value, word) && !isSuccessStatus(Number(word ?? value));
  if (!statusNames.test(name)) return false;
  if (word !== undefined && refusalStates.test(word)) return true;
  const code = typeof value === "number" ? value : /^-?\d+$/.test(word ?? "") ? Number(word) : 0;
  return code < 0 || code >= 300;
}

function isSuccessStatus(code: number): boolean {
  return code >= 200 && code < 300;
}

function isEmpty(value: unknown, word: string | undefined): boolean {
  if (word !== undefined) return emptyWords.includes(word);
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === false || value === 0;
}
