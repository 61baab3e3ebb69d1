import { readFileSync, rmSync } from "node:fs";
import type { StageResult } from "../../../pipeline/core/records/stage-page.ts";
import { stageTo } from "../../support/stage.ts";
import { PageError } from "../../../pipeline/core/records/error.ts";
import { detectFormat, type PageFormat } from "../../../pipeline/core/records/format.ts";
import { countRecords } from "../../../pipeline/core/records/each.ts";
import { readCount } from "./oracle.ts";
import identity from "../../../schemas/identity.json" with { type: "json" };
import type { IdentityFields } from "../../../schemas/generators/key.ts";

export const maxRecordBytes = 4000;
const rules = { identity: identity.fields as IdentityFields, maxRecordBytes };

type Outcome = StageResult & { readonly format: PageFormat; readonly lines: readonly string[] };

/** A page that was not refused: how many records it holds. */
export type Accepted = { readonly format: PageFormat; readonly records: number };

/** The outcome of a body: refused as a whole, or accepted, with its faults. */
export type Judged = { readonly accepted: Accepted | undefined; readonly complaints: string[] };

/** Parses and stages a body; throws anything that is not a PageError. */
export function judge(bytes: Buffer, file: string): Judged {
  const staged = readOutcome(bytes, file);
  const complaints: string[] = [];
  if (staged === undefined) return { accepted: undefined, complaints };
  const { lines, rejects, fetched, format } = staged;
  if (lines.length + rejects.length !== fetched)
    complaints.push(`${lines.length} lines and ${rejects.length} rejects of ${fetched} records`);
  for (const line of lines)
    if (parse(line) === undefined) complaints.push("a staged line is no JSON");
  const whole = readCount(bytes, format);
  if (whole !== fetched)
    complaints.push(`${fetched} records taken of ${whole ?? "a page that is not whole"}`);
  return { accepted: { format, records: fetched }, complaints };
}

function readOutcome(bytes: Buffer, file: string): Outcome | undefined {
  rmSync(file, { force: true });
  try {
    const format = detectFormat(bytes);
    const { records } = countRecords(bytes, format, null);
    const staged = stageTo(bytes, { format, recordsAt: null }, rules, file);
    if (staged.fetched !== records)
      throw new Error(`${records} records were counted, ${staged.fetched} staged`);
    return { ...staged, format, lines: readFileSync(file, "utf8").split("\n").slice(0, -1) };
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
