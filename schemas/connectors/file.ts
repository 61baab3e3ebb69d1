import { z } from "zod";
import { outputs } from "../outputs.ts";
import { describeRule } from "./describe-rule.ts";
import { authenticationName } from "./saved.ts";

const fileName = describeRule(
  "letters, digits, dots, dashes and underscores, at most 100, no dot in front",
);

/** A folder that results are written to. */
export const file = z.strictObject({
  type: z.literal("file"),
  authentication: authenticationName,
  outputs: outputs.optional(),
  folder: z
    .string(describeRule("a folder"))
    .min(1, describeRule("a folder"))
    .describe("folder for the files; a relative path starts at the configuration file"),
  format: z
    .enum(["csv", "ndjson", "parquet"], describeRule("csv, ndjson or parquet"))
    .default("csv"),
  file_name: z
    .string(fileName)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, fileName)
    .optional()
    .describe("name of the files without extension; default: the name of the delivery"),
  partition_by_day: z
    .string(describeRule("the name of a column of type date or time"))
    .min(1, describeRule("the name of a column of type date or time"))
    .optional()
    .describe("a column whose date names the folder: date=2026-11-21/…"),
  when_empty: z
    .enum(["write", "keep"], describeRule("write or keep"))
    .default("write")
    .describe(
      "if a class of an activation has no rows: write its file_name without rows, or keep the file of the last run",
    ),
  raw: z
    .boolean(describeRule("true or false"))
    .default(false)
    .describe(
      "CSV: text unchanged, without the apostrophes that stop a spreadsheet from executing it",
    ),
});

export type FileTarget = z.infer<typeof file>;
