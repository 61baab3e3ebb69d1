import { readAsset } from "../home/assets.ts";

/** The SQL of a built-in query with what several of them say alike, which stands once, in queries/parts. */
export function withParts(sql: string): string {
  return sql.replaceAll(/^-- part: ([a-z_]+)\n/gm, (_, part: string) =>
    readAsset(`queries/parts/${part}.sql`),
  );
}
