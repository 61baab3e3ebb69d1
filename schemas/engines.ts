import { z } from "zod";
import { duration } from "./duration.ts";

const identifier = z
  .string()
  .regex(/^[a-z_][a-z0-9_]{0,127}$/, "expected lower-case letters, digits and underscores");

/** Engines that reports can be run on, over the lake. */
export const engines = z.strictObject({
  trino: z
    .strictObject({
      url: z.string().describe("web address of the coordinator; https, except on this machine"),
      catalog: identifier.default("lake"),
      schema: identifier.default("audit"),
      user: z
        .string()
        .regex(/^[!-~]{1,128}$/)
        .default("auditlake"),
      password_env: z
        .string()
        .optional()
        .describe("environment variable with the password, if the engine requires one"),
      timeout: duration
        .refine((ms) => ms >= 1000, "expected 1s or more")
        .default(600_000)
        .describe("time limit of one query on the engine"),
      max_bytes: z.int().min(1_000_000).default(1_000_000_000).describe("maximum of one response"),
    })
    .optional(),
});

/** Engines that `--engine` takes. */
export const engineNames = ["trino"] as const;
