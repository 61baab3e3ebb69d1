import { z } from "zod";
import { AuditlakeError } from "../../base/errors.ts";

// The log of a Delta table: one file of actions per version, JSON lines. Other writers may know more kinds of action.

const texts = z.record(z.string(), z.string());
const partitions = z.record(z.string(), z.string().nullable());

const add = z.object({
  path: z.string(),
  partitionValues: partitions,
  size: z.number(),
  modificationTime: z.number(),
  dataChange: z.boolean(),
  stats: z.string().nullish(),
  tags: texts.nullish(),
});

const remove = z.object({
  path: z.string(),
  deletionTimestamp: z.number().nullish(),
  dataChange: z.boolean(),
  extendedFileMetadata: z.boolean().nullish(),
  partitionValues: partitions.nullish(),
  size: z.number().nullish(),
});

const metaData = z.object({
  id: z.string(),
  format: z.object({ provider: z.string(), options: texts }),
  schemaString: z.string(),
  partitionColumns: z.array(z.string()),
  configuration: texts,
  createdTime: z.number().nullish(),
});

const protocol = z.object({
  minReaderVersion: z.number(),
  minWriterVersion: z.number(),
  readerFeatures: z.array(z.string()).nullish(),
  writerFeatures: z.array(z.string()).nullish(),
});

const commitInfo = z.looseObject({
  timestamp: z.number().optional(),
  operation: z.string().optional(),
  engineInfo: z.string().optional(),
  auditlake: z
    .object({ ingester: z.string(), publish: z.string(), newest_read: z.string().nullish() })
    .optional(),
});

const action = z.looseObject({
  add: add.optional(),
  remove: remove.optional(),
  metaData: metaData.optional(),
  protocol: protocol.optional(),
  commitInfo: commitInfo.optional(),
});

export type Action = z.infer<typeof action>;
export type AddFile = z.infer<typeof add>;
export type RemoveFile = z.infer<typeof remove>;
export type MetaData = z.infer<typeof metaData>;
export type Protocol = z.infer<typeof protocol>;

export function formatEntryName(table: string, version: number): string {
  return `${formatVersion(table, version)}.json`;
}

export function formatCheckpointName(table: string, version: number): string {
  return `${formatVersion(table, version)}.checkpoint.parquet`;
}

/** What the names of a version's files in the log of a table begin with. */
export function formatVersion(table: string, version: number): string {
  return `${logFolder(table)}${String(version).padStart(20, "0")}`;
}

export function logFolder(table: string): string {
  return `${table}/_delta_log/`;
}

/** Parses the version in the name of an entry; undefined for other files of a log. */
export function parseVersion(name: string): number | undefined {
  return parseNumber(/\/_delta_log\/(\d{20})\.json$/, name);
}

/** Parses the version in the name of a checkpoint; undefined for other files of a log. */
export function parseCheckpoint(name: string): number | undefined {
  return parseNumber(/\/_delta_log\/(\d{20})\.checkpoint\.parquet$/, name);
}

function parseNumber(form: RegExp, name: string): number | undefined {
  const digits = form.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The actions of an entry; throws AuditlakeError, which names the entry, where it cannot be read. */
export function readEntry(name: string, bytes: Buffer): Action[] {
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => readAction(name, line));
}

/** An action in its text; members that are null are left out, as checkpoints have them. */
export function readAction(name: string, line: string): Action {
  try {
    const members = Object.entries(JSON.parse(line) as object);
    return action.parse(Object.fromEntries(members.filter(([, value]) => value !== null)));
  } catch {
    throw new AuditlakeError(
      `the log entry ${name} of the lake cannot be read; expected JSON lines of Delta actions; another program may have written it; restore it from a copy`,
    );
  }
}

export function writeEntry(actions: readonly Action[]): Buffer {
  return Buffer.from(actions.map((each) => `${JSON.stringify(each)}\n`).join(""));
}
