import { z } from "zod";
import { duration } from "./duration.ts";
import { name } from "./name.ts";

/** Severities of findings, from the least. */
export const severities = ["info", "low", "medium", "high", "critical"] as const;

const oneDetection = z.strictObject({
  enabled: z.boolean().default(true),
  severity: z.enum(severities).optional().describe("in place of the severity of the detection"),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe("limits and other parameters, in place of their defaults"),
});

/** `detections` of the configuration, by name. */
export const detectionSettings = z
  .record(name, oneDetection)
  .default({})
  .describe("severity, parameters and state of detections, by name");

/** `findings` of the configuration. */
export const findingSettings = z.strictObject({
  enabled: z.boolean().default(true).describe("whether runs evaluate detections"),
  learning: duration
    .default(30 * 86_400_000)
    .describe("detections of what was not seen before stay quiet this long after the first event"),
  internal_domains: z
    .array(z.string().min(1))
    .optional()
    .describe("domains of mail addresses that are not outside; default: those of the listed users"),
  sensitive_columns: z
    .array(z.string().min(1))
    .optional()
    .describe("columns as database.table.column whose reading deserves attention"),
  known: z
    .record(name, z.array(z.record(z.string(), z.string())).min(1))
    .default({})
    .describe("hits that raise no finding: per detection, values of its key columns"),
  notify: z
    .array(
      z.strictObject({
        target: name.describe("a webhook or email under targets"),
        severity: z.enum(severities).default("medium").describe("at least"),
      }),
    )
    .default([])
    .describe("where new findings are sent"),
});
