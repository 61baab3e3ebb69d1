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
        "expected an absolute path such as /srv/lake, or s3://bucket/folder, without . or .. in it",
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
    key_env: z
      .string()
      .default("AWS_ACCESS_KEY_ID")
      .describe("environment variable with the access key id"),
    secret_env: z
      .string()
      .default("AWS_SECRET_ACCESS_KEY")
      .describe("environment variable with the secret access key"),
  })
  .refine(({ location, endpoint }) => isBucket(location) === (endpoint !== undefined), {
    path: ["endpoint"],
    message: "is required with a location s3://…, such as https://objects.example, and only there",
  });

export type LakeConfig = z.infer<typeof lake>;
