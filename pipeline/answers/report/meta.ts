import { z } from "zod";
import { formats } from "./formats.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The program that wrote a file, as its leaf in the log has it. */
const program = z.object({ version: z.string(), catalog_sha256: hash, bundle_sha256: hash });

/** What describes an exported file: enough to make it again from the landed files, at any time. */
export const metaSchema = z.object({
  file: z.string(),
  sha256: hash,
  format: z
    .enum(formats as readonly [string, ...string[]])
    .transform((name) => formats.find((each) => each === name)!),
  rows: z.int(),
  report: z.string(),
  title: z.string(),
  sql_sha256: hash,
  /** All of them, moments in full; null is no value. */
  parameters: z.record(z.string(), z.string().nullable()),
  /** The only source of the rows; null for all. */
  source: z.string().nullable(),
  /** The default time zone of the published data. */
  timezone: z.string(),
  /** How text was written, where not as usual; `limit` rows at most. */
  options: z.object({
    raw: z.boolean().optional(),
    header: z.boolean().optional(),
    separator: z.string().optional(),
    limit: z.int().optional(),
  }),
  program,
  evidence: z.object({
    /** The checkpoint of the entries that the rows cover. */
    head: z.string(),
    public_key: z.string().nullable(),
  }),
});

export type ExportMeta = z.infer<typeof metaSchema>;
