import { z } from "zod";
import { outputs } from "../outputs.ts";
import { ruled } from "./ruled.ts";
import { authenticationName, credential } from "./saved.ts";
import { secureUrl } from "./secure-url.ts";

const batchSize = ruled("a whole number from 1 to 10000");

/** An address that is sent results as signed JSON. */
export const webhook = z.strictObject({
  type: z.literal("webhook"),
  authentication: authenticationName,
  outputs: outputs.optional(),
  url: secureUrl.describe("where the rows are posted to"),
  secret: credential.describe(
    "key of the signature, or __SAVED__; behind whsec_ it is read as base64, else as text",
  ),
  records_per_batch: z
    .int(batchSize)
    .min(1, batchSize)
    .max(10_000, batchSize)
    .default(500)
    .describe("rows of one request at most"),
});

export type WebhookTarget = z.infer<typeof webhook>;
