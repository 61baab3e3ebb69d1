import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import { countRows, type Destination } from "../../../work/targets/destination.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { deliverToWebhook } from "./deliver.ts";
import { tryWebhook } from "./try.ts";

/** Signed JSON to an address, or a message to a chat. */
export const webhookDestination: Destination<WebhookTarget> = {
  deliver: deliverToWebhook,
  preview: async ({ url, records_per_batch: size }, rows) => {
    const total = await countRows(rows);
    const requests = Math.ceil(total / size);
    return `${rowCount(total)} in ${requests} ${requests === 1 ? "request" : "requests"} to ${originOf(url)}`;
  },
  describe: ({ url }) => originOf(url),
  place: ({ url }) => [url === savedMarker ? url : new URL(url).href],
  secrets: ({ secret, url }) => [secret, pathOf(url)],
  needsCredentials: () => true,
  test: tryWebhook,
  isNewEachTime: true,
  // Of a chat the address is the secret.
  canNotifyAlone: ({ secret, url }) => secret === savedMarker || url === savedMarker,
};

function originOf(url: string): string {
  return url === savedMarker ? "a stored address" : new URL(url).origin;
}

// The path of a webhook is often all that keeps strangers out.
function pathOf(url: string): string | undefined {
  if (url === savedMarker) return undefined;
  const path = new URL(url).pathname;
  return path === "/" ? undefined : path;
}
