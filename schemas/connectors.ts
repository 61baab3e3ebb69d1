import { z } from "zod";
import { email } from "./connectors/email.ts";
import { file } from "./connectors/file.ts";
import { marketingCloud } from "./connectors/marketing-cloud.ts";
import { messaging } from "./connectors/messaging.ts";
import { showValue } from "./connectors/describe-rule.ts";
import { savedMarker } from "./connectors/saved.ts";
import { webhook } from "./connectors/webhook.ts";

// A line for each kind of destination; what is done with it is in pipeline/outgoing/registry.ts.
const kinds = [marketingCloud, messaging, file, webhook, email] as const;

/** A target: the configuration of one connector, discriminated by `type` (seed 002, A and B). */
export const target = z
  .discriminatedUnion("type", kinds, {
    error: ({ input }) =>
      `found ${showValue(readType(input))}; expected ${listNames(kinds.map(readTypeName))}`,
  })
  .superRefine((value, context) => {
    const saved = Object.entries(value).find(([, given]) => given === savedMarker)?.[0];
    if (saved === undefined || value.authentication !== undefined) return;
    context.addIssue({
      code: "custom",
      path: [saved],
      message: `is ${savedMarker}, but the target has no authentication; set authentication to a stored one`,
    });
  });

export type Target = z.infer<typeof target>;

function readType(given: unknown): unknown {
  return typeof given === "object" && given !== null && "type" in given ? given.type : undefined;
}

// The value that a schema of the union has for `type`, as the union itself looks it up.
function readTypeName({ _zod }: (typeof kinds)[number]): string {
  return String(_zod.propValues?.["type"]?.values().next().value);
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
