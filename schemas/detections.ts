import { z } from "zod";
import { duration } from "./duration.ts";
import { name } from "./name.ts";

/** Severities of findings, from the least. */
export const severities = ["info", "low", "medium", "high", "critical"] as const;

const oneDetection = z.strictObject({
  enabled: z.boolean().default(true),
  severity: z.enum(severities).optional().describe("overrides the severity of the detection"),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe("limits and other parameters, override the defaults"),
});

/** `detections` of the configuration, by name. */
export const detectionSettings = z
  .record(name, oneDetection)
  .default({})
  .describe("severity, parameters and state of detections, by name");

/** `findings` of the configuration. */
export const findingSettings = z.strictObject({
  enabled: z.boolean().default(true).describe("runs evaluate detections"),
  learning: duration
    .default(30 * 86_400_000)
    .describe("detections of new values raise no findings for this time after the first event"),
  internal_domains: z
    .array(z.string().min(1))
    .optional()
    .describe("e-mail domains that count as internal; default: the domains of the listed users"),
  sensitive_columns: z
    .array(z.string().min(1))
    .optional()
    .describe("sensitive columns, as database.table.column"),
  known: z
    .record(name, z.array(z.record(z.string(), z.string())).min(1))
    .default({})
    .describe("known hits that raise no finding: values of the key columns, per detection"),
  notify: z
    .array(
      z.strictObject({
        target: name.describe("a webhook or email under targets"),
        severity: z.enum(severities).default("medium").describe("minimum severity"),
      }),
    )
    .default([])
    .describe("targets of new findings"),
});
