import { UsageError } from "../../base/errors.ts";
import type { Format } from "./formats.ts";

/**
 * What stands between the cells of CSV: one character that neither quotes nor ends a line; a tab may be written `\t`.
 * Throws UsageError for anything else.
 */
export function separatorOf(text: string): string {
  const separator = text === String.raw`\t` ? "\t" : text;
  if ([...separator].length === 1 && !/["'\r\n\0]/.test(separator)) return separator;
  throw new UsageError(
    `--separator ${JSON.stringify(text)}: expected one character, such as ; or |, that is no quote and no line end`,
  );
}

const withHeader: readonly Format[] = ["table", "csv", "tsv"];

/** Throws UsageError for a separator that is none, and for it or `--no-header` beside a format that has none. */
export function refuseTextOptions(
  { separator, header }: { readonly separator?: string | undefined; readonly header?: boolean },
  format: Format,
): void {
  if (header === false && !withHeader.includes(format))
    throw new UsageError(
      `--no-header is for ${withHeader.join(", ")}; the format here is ${format}`,
    );
  if (separator === undefined) return;
  separatorOf(separator);
  if (format !== "csv")
    throw new UsageError(`--separator is for csv; the format here is ${format}; add --format csv`);
}
