import type { Target } from "../../schemas/connectors.ts";
import type { Destination } from "./targets/destination.ts";
import { emailDestination } from "../adapters/destinations/email/destination.ts";
import { fileDestination } from "../adapters/destinations/file/destination.ts";
import { marketingCloudDestination } from "../adapters/destinations/marketing-cloud/destination.ts";
import { messagingDestination } from "../adapters/destinations/messaging/destination.ts";
import { webhookDestination } from "../adapters/destinations/webhook/destination.ts";

// A new kind of destination is one line here and one in schemas/connectors.ts (CONTRIBUTING.md, "A destination").
const destinations: {
  readonly [T in Target["type"]]: Destination<Extract<Target, { type: T }>>;
} = {
  marketing_cloud_v2: marketingCloudDestination,
  messaging_business: messagingDestination,
  file: fileDestination,
  webhook: webhookDestination,
  email: emailDestination,
};

export function getDestination({ type }: Target): Destination {
  return destinations[type] as unknown as Destination;
}
