import { readFileSync, writeFileSync } from "node:fs";
import type { Random } from "../../../fixtures/random.ts";
import { type Bed, type Export, must, range } from "./bed.ts";
import { sha256 } from "./landed.ts";

/** The arguments of a verification: a file, and flags besides that of the auditor's head. */
export type Asked = { readonly file: string; readonly flags?: readonly string[] };

/** A change of a copy of the bed; resolves to what is verified. */
export type Change = {
  readonly name: string;
  readonly apply: (bed: Bed, one: Export, random: Random) => Asked | Promise<Asked>;
};

export type Meta = Readonly<Record<string, unknown>> & {
  readonly sql_sha256: string;
  readonly parameters: Readonly<Record<string, string | null>>;
  readonly evidence: { readonly head: string; readonly public_key: string };
};

export function readMeta(file: string): Meta {
  return JSON.parse(readFileSync(`${file}.meta.json`, "utf8")) as Meta;
}

export function writeMeta(file: string, meta: object): void {
  writeFileSync(`${file}.meta.json`, JSON.stringify(meta));
}

/** Lets the description name the file as it is now, as a forger would. */
export function fitMeta(file: string): void {
  writeMeta(file, { ...readMeta(file), sha256: sha256(readFileSync(file)) });
}

/** Exports a report again from a forged home; undefined where the forgery does not show in it. */
export async function exportForged(bed: Bed, one: Export): Promise<Asked | undefined> {
  const original = readFileSync(one.file);
  await must(bed, ["report", "run", one.report, ...range, "--out", one.file, "--meta"]);
  return readFileSync(one.file).equals(original) ? undefined : { file: one.file };
}

/** The first export that shows a forgery. */
export async function findForged(bed: Bed, first: Export): Promise<Asked> {
  for (const one of [first, ...bed.exports]) {
    const asked = await exportForged(bed, one);
    if (asked !== undefined) return asked;
  }
  throw new Error("the forgery shows in no report");
}
