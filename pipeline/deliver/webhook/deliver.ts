import { createHash } from "node:crypto";
import type { WebhookTarget } from "../../../schemas/connectors/webhook.ts";
import { AuditlakeError, exitCode } from "../../errors.ts";
import { saying, type Sent } from "../../http/transport.ts";
import { rowObject } from "../../rows/ndjson.ts";
import type { Column } from "../../rows/row.ts";
import type { Deliver, DeliveryContext } from "../connector.ts";
import { DeliveryError } from "../error.ts";
import { batchesOf, type Batch } from "./batches.ts";
import { signatureHeaders } from "./sign.ts";

/**
 * Posts rows as signed JSON, batch by batch, and stops at the first that is not taken. A batch is sent again until it
 * is answered; its id follows from the delivery and the content, so that a receiver can tell a batch that it has.
 */
export const deliverToWebhook: Deliver<WebhookTarget> = async (target, rows, context) => {
  const secret = context.credential("secret");
  const batches = batchesOf(rows.batches, target.records_per_batch);
  let accepted = 0;
  let requests = 0;
  for await (const batch of batches) {
    const body = bodyOf(batch, rows.columns, target.name, context);
    const found = await post(target, batch, body, secret, context).catch(interruption);
    if (!isTaken(found)) {
      let after = 0;
      for await (const later of batches) after += later.rows.length;
      throw failure(target, found, { accepted, now: batch.rows.length, after });
    }
    accepted += batch.rows.length;
    requests += 1;
    if (!batch.isLast) context.say(`${accepted} rows delivered to ${target.name} so far`);
  }
  const notes = requests === 0 ? ["no rows, so nothing was sent"] : [];
  return { target: target.name, accepted, refused: 0, outcome: "delivered", notes };
};

function bodyOf(
  { number, rows, isLast }: Batch,
  columns: readonly Column[],
  target: string,
  { deliveryId }: DeliveryContext,
): string {
  const head = { delivery: deliveryId, target, batch: number, last: isLast };
  const objects = rows.map((row) => rowObject(row, columns));
  return `${JSON.stringify(head).slice(0, -1)},"rows":[${objects.join(",")}]}`;
}

function post(
  { url }: WebhookTarget,
  { number }: Batch,
  body: string,
  secret: string,
  { http, world, deliveryId }: DeliveryContext,
): Promise<Sent> {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
  const id = `${deliveryId}.${number}.${digest}`;
  // Signed anew for each try: a receiver turns away what was signed long ago.
  const headers = (): Record<string, string> => ({
    "content-type": "application/json",
    ...signatureHeaders({ id, atSeconds: Math.floor(world.now() / 1000), body }, secret),
  });
  return http.send({ method: "POST", url: new URL(url), headers, body }, "harmless");
}

// An interruption that is thrown came in a wait, before which no try was acted on.
function interruption(error: unknown): Sent {
  if (error instanceof AuditlakeError && error.exitCode === exitCode.interrupted)
    return { outcome: "unsent", why: error.message, isFinal: true, mayHaveActed: false };
  throw error;
}

function isTaken(found: Sent): boolean {
  return found.outcome === "answered" && found.answer.status >= 200 && found.answer.status < 300;
}

type Counts = { readonly accepted: number; readonly now: number; readonly after: number };

function failure(target: { readonly name: string }, found: Sent, counts: Counts): AuditlakeError {
  const { accepted, now, after } = counts;
  const isDoubtful = found.mayHaveActed;
  if (accepted > 0 || isDoubtful)
    return new DeliveryError(
      {
        target: target.name,
        accepted,
        doubtful: isDoubtful ? now : 0,
        missing: after + (isDoubtful ? 0 : now),
      },
      saying(found),
    );
  const status = found.outcome === "answered" ? found.answer.status : undefined;
  const isRefused = status === 401 || status === 403;
  return new AuditlakeError(
    `delivery to ${target.name} failed: ${isRefused ? "the receiver refused it, " : ""}${saying(found)}; nothing was delivered; check url and secret of the target`,
    isRefused ? exitCode.refused : exitCode.failed,
  );
}
