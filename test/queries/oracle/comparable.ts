/**
 * Rows in a form that two sources share: cells as text, null as null. The columns `source` and `event_key`, which raw
 * records do not carry, are left out. The order of the rows stays.
 */
export function comparable(
  rows: readonly Readonly<Record<string, unknown>>[],
): Record<string, string | null>[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => name !== "source" && name !== "event_key")
        .map(([name, cell]) => [name, cell === null ? null : String(cell)]),
    ),
  );
}
