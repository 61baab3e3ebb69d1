import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";

/** Kinds of landed things; the leaf of a program is apart, for it has no file. */
export const fileKinds = ["read", "undo", "users", "policies", "mark", "prune", "finding"] as const;

export type FileKind = (typeof fileKinds)[number];

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const common = {
  v: z.literal(1),
  index: z.int().nonnegative(),
  /** A claim of the clock of the machine: the tree proves the order, not the time. */
  at: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  /** Landed by a version without a log, and taken in later. */
  later: z.literal(true).optional(),
};

const fileLeaf = z.strictObject({
  ...common,
  kind: z.enum(fileKinds),
  path: z.string().min(1).describe("relative to the landing folder"),
  sha256: hash.describe("of the stored bytes; of a zstd file, of its unpacked content"),
});

const programLeaf = z.strictObject({
  ...common,
  kind: z.literal("program"),
  version: z.string(),
  catalog_sha256: hash,
  bundle_sha256: hash,
});

const leafSchema = z.discriminatedUnion("kind", [fileLeaf, programLeaf]);

export type FileLeaf = Readonly<z.infer<typeof fileLeaf>>;
export type ProgramLeaf = Readonly<z.infer<typeof programLeaf>>;

export type Leaf = FileLeaf | ProgramLeaf;

/** A leaf before it has its place in the log. */
export type NewLeaf = Omit<FileLeaf, "v" | "index"> | Omit<ProgramLeaf, "v" | "index">;

/** The line of a leaf without its line end: the bytes that the tree hashes. */
export function formatLeaf(index: number, leaf: NewLeaf): string {
  const { kind, at, later } = leaf;
  const content =
    leaf.kind === "program"
      ? {
          version: leaf.version,
          catalog_sha256: leaf.catalog_sha256,
          bundle_sha256: leaf.bundle_sha256,
        }
      : { path: leaf.path, sha256: leaf.sha256 };
  return JSON.stringify({ v: 1, index, kind, ...content, at, ...(later && { later }) });
}

/** Reads the line of a leaf; undefined if it is not the line that this leaf has. */
export function parseLeaf(line: string): Leaf | undefined {
  const { data } = leafSchema.safeParse(parseJson(line));
  return data !== undefined && formatLeaf(data.index, data) === line ? data : undefined;
}
