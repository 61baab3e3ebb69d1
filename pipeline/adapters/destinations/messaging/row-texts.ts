import type { Recipient, Skipped } from "./recipients.ts";

const named = 10;

/** Recipients as a person may see them: the row and the last digits, never the whole number. */
export function rowsText(recipients: readonly Pick<Recipient, "row" | "phone">[]): string {
  const shown = recipients
    .slice(0, named)
    .map(({ row, phone }) => `row ${row} (…${phone.slice(-4)})`);
  return shown.join(", ") + more(recipients.length);
}

/** Says which rows get no message of their own, and why. */
export function warnOfSkipped(skipped: Skipped, print: (line: string) => void): void {
  const reasons: readonly [readonly number[], string][] = [
    [skipped.invalid, "no valid phone number with its country code"],
    [skipped.withoutValue, "no value for a variable of the template"],
  ];
  for (const [rows, why] of reasons)
    if (rows.length > 0) print(`warning: skipped ${counted(rows)} with ${why}: ${listed(rows)}`);
  const { equal } = skipped;
  if (equal.length > 0)
    print(
      `${counted(equal)} with the number and the message of an earlier one, sent once: ${listed(equal)}`,
    );
}

function counted(rows: readonly number[]): string {
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
}

function listed(rows: readonly number[]): string {
  return `${rows.slice(0, named).join(", ")}${more(rows.length)}`;
}

function more(count: number): string {
  return count > named ? ` and ${count - named} more` : "";
}
