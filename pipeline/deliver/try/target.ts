import type { DeliveryContext, SettledTarget } from "../connector.ts";
import { signInToMail } from "../email/send.ts";
import { tryFolder } from "./folder.ts";
import { tryMarketingCloud } from "./marketing-cloud.ts";
import { tryMessaging } from "./messaging.ts";
import { tryWebhook } from "./webhook.ts";

/**
 * Checks a target as far as that goes without a delivery: signs in, looks for what is to be there. Sends nothing, but to a
 * webhook one row that says it is a test where `sends`. Returns what was found, for a person; throws AuditlakeError
 * where a delivery would fail.
 */
export async function tryTarget(
  target: SettledTarget,
  context: DeliveryContext,
  sends: boolean,
): Promise<string[]> {
  switch (target.type) {
    case "file":
      return tryFolder(target);
    case "webhook":
      return tryWebhook(target, context, sends);
    case "messaging_business":
      return tryMessaging(target, context);
    case "marketing_cloud_v2":
      return tryMarketingCloud(target, context);
    case "email": {
      await signInToMail(target, () => context.credential("password"));
      const who = target.user === undefined ? "took the connection" : "took user and password";
      return [`the mail server ${who}; nothing was sent`];
    }
  }
}
