import { readdirSync } from "node:fs";
import { messageOf, UsageError } from "../errors.ts";

/** The files of a folder whose names fit, by name. Throws UsageError where it cannot be read or has `none` of them. */
export function filesIn(folder: string, fits: RegExp, none: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new UsageError(`cannot read ${folder}: ${messageOf(error)}`);
  }
  const files = names.filter((name) => fits.test(name)).sort();
  if (files.length > 0) return files;
  throw new UsageError(`${folder} holds ${none}`);
}
