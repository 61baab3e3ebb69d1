import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import { outcomeText } from "../../../base/http/transport.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import { deliverToWebhook } from "./deliver.ts";

const text = "This is a test of auditlake; nothing happened.";

/**
 * Sends one row that is marked as a test, as any other row would go. Where nothing is to be sent, it asks whether
 * anybody answers at the address. Throws what a delivery throws.
 */
export async function tryWebhook(
  target: WithName<WebhookTarget>,
  context: DeliveryContext,
  sends: boolean,
): Promise<string[]> {
  if (!sends) return reached(target, context);
  const announcement = { title: "auditlake: test", text };
  const { outcome, uncertain } = await deliverToWebhook(target, marked(), {
    ...context,
    announcement,
  });
  if (outcome === "delivered") return ["one row that says it is a test was sent, and taken"];
  if (uncertain === 1)
    throw new AuditlakeError(
      "a row that says it is a test was answered with success and a refusal in the body; check whether it arrived, and what the receiver takes",
    );
  throw new AuditlakeError(
    "the receiver refused a row that says it is a test; check what it takes",
  );
}

async function reached(
  { url }: WebhookTarget,
  { http, credential }: DeliveryContext,
): Promise<string[]> {
  const address = new URL(url === savedMarker ? credential("url") : url);
  const found = await http.send({ method: "GET", url: address }, { repeat: "harmful" });
  if (found.outcome === "answered")
    return ["somebody answers there; export test sends a row that says it is a test"];
  throw new AuditlakeError(`nobody answers at ${address.origin}: ${outcomeText(found)}`);
}

function marked(): Rows {
  const columns = [{ name: "auditlake_test", type: "VARCHAR", kind: "text" }] as const;
  return { columns, batches: oneRow() };
}

async function* oneRow(): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve([[text]]);
}
