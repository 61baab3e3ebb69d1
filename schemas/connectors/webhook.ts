import { z } from "zod";
import { outputs } from "../outputs.ts";
import { requests } from "./requests.ts";
import { describeRule } from "./describe-rule.ts";
import { authenticationName, credential, savedMarker } from "./saved.ts";
import { secureUrl } from "./secure-url.ts";

const batchSize = describeRule("a whole number from 1 to 10000");

const shapeRule = describeRule(
  "rows, text, content, blocks, or an object with {{message}} in its strings",
);

/**
 * What a request holds: `rows` is signed JSON of our own. The others are shapes that chat systems take, a message in
 * their key `text` or `content`, or in the text of a block. An object of one's own has {{message}} and {{title}} in it.
 */
const body = z
  .union([
    z.enum(["rows", "text", "content", "blocks"], shapeRule),
    z
      .record(z.string(), z.json())
      .refine((given) => JSON.stringify(given).includes("{{message}}"), shapeRule),
  ])
  .default("rows");

/** An address that is sent results as signed JSON, or as messages of a chat. */
export const webhook = z
  .strictObject({
    type: z.literal("webhook"),
    authentication: authenticationName,
    outputs: outputs.optional(),
    requests,
    url: z
      .union([z.literal(savedMarker), secureUrl])
      .describe("address that receives the rows, or __SAVED__ if the address is a secret"),
    body: body.describe("rows, or the format of a chat: text, content, blocks, or an object"),
    secret: credential
      .optional()
      .describe(
        "key of the signature, or __SAVED__; base64 after whsec_, otherwise text; not needed for a chat",
      ),
    records_per_batch: z
      .int(batchSize)
      .min(1, batchSize)
      .max(10_000, batchSize)
      .default(500)
      .describe("maximum rows per request"),
  })
  .superRefine(({ body: shape, secret }, context) => {
    if (shape !== "rows" || secret !== undefined) return;
    const message = "found none; expected the credential as text, or __SAVED__";
    context.addIssue({ code: "custom", path: ["secret"], message });
  });

export type WebhookTarget = z.infer<typeof webhook>;
