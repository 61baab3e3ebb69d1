import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

// The laboratory takes hours. Verified rows are stored by the content of the commit, so that a stopped run resumes.
// Changes of text do not matter: the table itself has to be copied by hand.

const keptSchema = z.strictObject({
  /** What it was measured with: seed, versions, cores. */
  facts: z.string(),
  /** Day it was measured, as 2026-11-21. */
  date: z.string(),
  name: z.string(),
  asked: z.number(),
  done: z.number(),
  note: z.string().optional(),
  seconds: z.number(),
});

/** A row of the table that held. */
export type Kept = z.infer<typeof keptSchema>;

/**
 * File of the rows for the committed content, without Markdown; undefined if the checkout has changes or no commit,
 * and nothing is stored.
 */
export function keptFile(): string | undefined {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  try {
    if (git("status", "--porcelain") !== "") return undefined;
    const tree = git("ls-tree", "-r", "HEAD").split("\n");
    const code = tree.filter((entry) => !entry.endsWith(".md")).join("\n");
    return `${root}out/fault/${createHash("sha256").update(code).digest("hex")}.ndjson`;
  } catch {
    return undefined;
  }
}

/** The rows in a file of kept rows; none where there is no such file. */
export function readKept(path: string): Kept[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => keptSchema.parse(JSON.parse(line)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Keeps a row. */
export function keep(path: string, row: Kept): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${JSON.stringify(row)}\n`);
}
