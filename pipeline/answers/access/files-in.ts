import { UsageError } from "../../base/errors.ts";
import { listGiven } from "../../base/home/given-file.ts";

/** The files of a folder whose names fit, by name. Throws UsageError where it cannot be read or has `none` of them. */
export function filesIn(folder: string, fits: RegExp, none: string): string[] {
  const files = listGiven(folder)
    .filter((name) => fits.test(name))
    .sort();
  if (files.length > 0) return files;
  throw new UsageError(`${folder} holds ${none}`);
}
