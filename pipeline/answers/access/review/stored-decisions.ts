import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../../base/home/durable.ts";
import { AuditlakeError } from "../../../base/errors.ts";
import type { Home } from "../../../base/home/layout.ts";
import { item } from "./item.ts";

const exported = z.strictObject({
  version: z.literal(1),
  review_id: z.string(),
  source: z.string(),
  /** The moment whose rights are reviewed, RFC 3339. */
  on: z.string(),
  items: z.array(item),
  /** Rights of each policy on databases at that time, as `operation:id` or `operation`. */
  policies: z.record(z.string(), z.array(z.string())),
});

export type Review = z.infer<typeof exported>;

const decision = z.strictObject({
  row: z.string(),
  decision: z.enum(["keep", "revoke"]).nullable(),
  reason: z.string(),
  reviewer: z.string(),
  date: z.string(),
});

/** What was decided on a row; null where nothing is. */
export type Decision = z.infer<typeof decision>;

const decided = z.strictObject({
  version: z.literal(1),
  review_id: z.string(),
  decided_at: z.string(),
  decisions: z.array(decision),
});

export type DecidedFile = z.infer<typeof decided>;

const getFolder = ({ root }: Home): string => join(root, "reviews");
const getFile = (home: Home, id: string): string => join(getFolder(home), id, "review.json");
const isId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9-]*$/.test(text);

export async function keepReview(home: Home, review: Review): Promise<void> {
  await writeDurably(getFile(home, review.review_id), toBytes(review));
}

/** Keeps what was decided, beside what was decided before; `name` sorts by time. */
export async function keepDecided(home: Home, name: string, content: DecidedFile): Promise<void> {
  const path = join(getFolder(home), content.review_id, `decided-${name}.json`);
  await writeDurably(path, toBytes(content));
}

const toBytes = (content: object): Buffer => Buffer.from(`${JSON.stringify(content)}\n`);

/** The ids of the reviews that a home knows, oldest first. */
export function listReviews(home: Home): string[] {
  if (!existsSync(getFolder(home))) return [];
  return readdirSync(getFolder(home))
    .filter((id) => isId(id) && existsSync(getFile(home, id)))
    .sort();
}

/** A review of a home; undefined where it knows none of that id. */
export function findReview(home: Home, id: string): Review | undefined {
  if (!isId(id) || !existsSync(getFile(home, id))) return undefined;
  return parseFile(getFile(home, id), exported);
}

/** What was decided on each row of a review so far, the last word on a row counting. */
export function readKeptDecisions(home: Home, id: string): Map<string, Decision> {
  const files = readdirSync(join(getFolder(home), id)).filter((name) =>
    name.startsWith("decided-"),
  );
  const all = files.sort().map((name) => parseFile(join(getFolder(home), id, name), decided));
  return new Map(all.flatMap(({ decisions }) => decisions.map((one) => [one.row, one])));
}

function parseFile<T>(path: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(`${path} cannot be read as a review; restore it from a backup`);
  }
}
