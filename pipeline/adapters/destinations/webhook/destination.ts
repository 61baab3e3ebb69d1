import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import {
  countRows,
  type DeliveryContext,
  type Destination,
  type WithName,
} from "../../../outgoing/targets/destination.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { deliverToWebhook } from "./deliver.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { formatOutcome } from "../../../base/http/transport.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";

const text = "This is a test of auditlake; nothing happened.";

/**
 * Sends one row marked as a test, like any other row. If nothing may be sent, only checks that the address answers.
 * Throws what a delivery throws.
 */
async function tryWebhook(
  target: WithName<WebhookTarget>,
  context: DeliveryContext,
  isSending: boolean,
): Promise<string[]> {
  if (!isSending) return reachTarget(target, context);
  const announcement = { title: "auditlake: test", text };
  const { outcome, uncertain } = await deliverToWebhook(target, newTestRows(), {
    ...context,
    announcement,
  });
  if (outcome === "delivered") return ["one test row was sent and accepted"];
  if (uncertain === 1)
    throw new AuditlakeError(
      "the receiver answered the test row with a success status but a refusal in the body; check whether it arrived, and what the receiver accepts",
    );
  throw new AuditlakeError("the receiver refused the test row; check what it accepts");
}

async function reachTarget(
  { url }: WebhookTarget,
  { http, credential }: DeliveryContext,
): Promise<string[]> {
  const address = new URL(url === savedMarker ? credential("url") : url);
  const found = await http.send({ method: "GET", url: address }, { repeat: "harmful" });
  if (found.outcome === "answered")
    return ["a server answers there; export test sends a row marked as a test"];
  throw new AuditlakeError(`no answer from ${address.origin}: ${formatOutcome(found)}`);
}

function newTestRows(): Rows {
  const columns = [{ name: "auditlake_test", type: "VARCHAR", kind: "text" }] as const;
  return { columns, batches: streamRow() };
}

async function* streamRow(): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve([[text]]);
}

/** Signed JSON to an address, or a message to a chat. */
export const webhookDestination: Destination<WebhookTarget> = {
  deliver: deliverToWebhook,
  preview: async ({ url, records_per_batch: size }, rows) => {
    const total = await countRows(rows);
    const requests = Math.ceil(total / size);
    return `${formatRowCount(total)} in ${requests} ${requests === 1 ? "request" : "requests"} to ${getOrigin(url)}`;
  },
  describe: ({ url }) => getOrigin(url),
  place: ({ url }) => [url === savedMarker ? url : new URL(url).href],
  secrets: ({ secret, url }) => [secret, getPath(url)],
  needsCredentials: () => true,
  test: tryWebhook,
  isNewEachTime: true,
  // Of a chat the address is the secret.
  canNotifyAlone: ({ secret, url }) => secret === savedMarker || url === savedMarker,
};

function getOrigin(url: string): string {
  return url === savedMarker ? "a stored address" : new URL(url).origin;
}

// The path of a webhook is often all that keeps strangers out.
function getPath(url: string): string | undefined {
  if (url === savedMarker) return undefined;
  const path = new URL(url).pathname;
  return path === "/" ? undefined : path;
}
