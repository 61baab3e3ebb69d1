import { z } from "zod";

const bucket = String.raw`s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._=-]+)*/?`;
// Web addresses resolve such steps, so the store would receive another folder than the engine.
const noSteps = String.raw`(?![^]*/\.{1,2}(?:/|$))`;
const form = new RegExp(String.raw`^${noSteps}(?:${bucket}|/[^*?[\]]*)$`);

const isBucket = (location: string): boolean => location.startsWith("s3://");

/** Where the scheduled run also keeps its rows, as Delta tables of Parquet files. */
export const lake = z
  .strictObject({
    location: z
      .string()
      .regex(
        form,
        "expected a folder from the root on, such as /srv/lake, or s3://bucket/folder, without . or .. as a folder",
      )
      .describe("a folder, or s3://bucket/folder"),
    endpoint: z.string().optional().describe("web address of the object store, for s3://"),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .default("us-east-1"),
    credentials_file: z
      .string()
      .optional()
      .describe('a file of mode 600: {"access_key_id": "…", "secret_access_key": "…"}'),
    key_env: z.string().default("AWS_ACCESS_KEY_ID").describe("variable with the id of the key"),
    secret_env: z
      .string()
      .default("AWS_SECRET_ACCESS_KEY")
      .describe("variable with the key itself"),
  })
  .refine(({ location, endpoint }) => isBucket(location) === (endpoint !== undefined), {
    path: ["endpoint"],
    message: "belongs to a location s3://…, which needs one such as https://objects.example",
  });

export type LakeConfig = z.infer<typeof lake>;
