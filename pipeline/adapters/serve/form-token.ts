import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { UsageError } from "../../base/errors.ts";
import { html, type Markup } from "../../base/html/markup.ts";
import { getVisitor } from "./visitor.ts";

/** Tokens of the forms that change something; each is bound to its page and to the session of the person. */
export type FormTokens = {
  readonly write: (page: string) => Markup;
  /** Throws UsageError for a token of another page, session or process, and for an expired one. */
  readonly check: (token: string | undefined, page: string) => void;
};

const lifetimeMs = 12 * 3_600_000;

/** Makes the tokens of one server; its secret ends with the process. */
export function newFormTokens(now: () => number, secret = randomBytes(32)): FormTokens {
  const sign = (page: string, endMs: number): string => {
    const parts = JSON.stringify([page, getVisitor()?.session ?? "", endMs]);
    return `${endMs.toString(36)}.${createHmac("sha256", secret).update(parts).digest("base64url")}`;
  };
  return {
    write: (page) =>
      html`<input type="hidden" name="token" value="${sign(page, now() + lifetimeMs)}" />`,
    check: (token = "", page) => {
      const endMs = Number.parseInt(token.split(".")[0] ?? "", 36);
      const expected = Buffer.from(sign(page, endMs));
      const given = Buffer.from(token);
      const isValid = given.length === expected.length && timingSafeEqual(given, expected);
      if (!isValid || endMs < now())
        throw new UsageError("this form has expired and nothing was stored; send it again");
    },
  };
}
