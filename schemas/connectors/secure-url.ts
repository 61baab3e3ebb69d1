import { z } from "zod";
import { describeRule } from "./describe-rule.ts";

/** Why an address cannot carry credentials; undefined where it can. An address may hold a secret, so none is shown. */
export function checkSecureUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "is not a web address; expected https://…";
  if (url.username !== "" || url.password !== "")
    return "contains a user name or password; expected only scheme, host and path";
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback)) return undefined;
  return `has scheme ${url.protocol.slice(0, -1)}; expected https (http only to this machine)`;
}

/** An https address; plain http goes to loopback alone. */
export const secureUrl = z
  .string(describeRule("an address, https://…"))
  .superRefine((text, context) => {
    const fault = checkSecureUrl(text);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  });
