import type { Sent } from "../../../../pipeline/base/http/transport.ts";

/** A request that was answered at the first try. */
export function answerRequest(status: number, text = ""): Sent & { readonly outcome: "answered" } {
  const answer = {
    status,
    headers: {},
    url: "http://127.0.0.1/",
    text,
    body: Buffer.from(text),
    retryAfterMs: undefined,
    serverTimeMs: undefined,
    isFramed: true,
  };
  return { outcome: "answered", answer, mayHaveActed: false, tries: 1 };
}
