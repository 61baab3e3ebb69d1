import type { Home } from "../../base/home/layout.ts";
import { listUndos } from "../landing/undos.ts";
import { undoRead } from "../load/undo-read.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { Writer } from "../writer/open.ts";

/**
 * Takes back the imports whose undo was landed and broke off, or that an older copy of the database has not seen. Returns
 * whether there were any.
 */
export async function finishUndos(home: Home, writer: Writer): Promise<boolean> {
  const undos = listUndos(home.landing);
  if (undos.length === 0) return false;
  const rows = await queryFile(writer.database.connection, "queries/undo/find.sql#ledger");
  const entered = new Set(rows.map((row) => String(row["read_id"])));
  const left = undos.filter(({ read_id: id }) => !entered.has(id));
  for (const undo of left) await undoRead(home, writer, undo);
  return left.length > 0;
}
