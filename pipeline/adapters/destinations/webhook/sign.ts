import { createHmac } from "node:crypto";

/** What is signed: the id of the message, when it was sent (seconds since the epoch), and its body. */
export type Signed = { readonly id: string; readonly atSeconds: number; readonly body: string };

/**
 * The headers by which a receiver knows that a message is genuine, fresh and not seen before, after the open convention
 * "Standard Webhooks". `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`.
 */
export function signatureHeaders(message: Signed, secret: string): Record<string, string> {
  const { id, atSeconds, body } = message;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${atSeconds}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(atSeconds),
    "webhook-signature": `v1,${signature.digest("base64")}`,
  };
}

function keyOf(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret, "utf8");
}
