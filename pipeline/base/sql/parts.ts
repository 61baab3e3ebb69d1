import { readAsset } from "../home/assets.ts";

/** The SQL of a built-in query with the parts that it shares with others (queries/parts), which may have parts, too. */
export function withParts(sql: string): string {
  return sql.replaceAll(/^ *-- part: ([a-z_]+)\n/gm, (_, part: string) =>
    withParts(readAsset(`queries/parts/${part}.sql`)),
  );
}
