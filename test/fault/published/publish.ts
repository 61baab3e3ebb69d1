import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { openCopy } from "../../../pipeline/core/store/open.ts";
import { type Change, publish, readContents } from "../../../pipeline/core/store/publish.ts";

const limits = { memoryLimit: "500MB", threads: 1 };

/** Publishes the warehouse of a home after a run that did `change`. */
export async function publishHome(root: string, change: Change): Promise<void> {
  const home = resolveHome(root);
  const database = await openCopy(home.warehouse, limits);
  const expected = await readContents(database.connection);
  await database[Symbol.asyncDispose]();
  await publish(home, { change, leastBytes: 0 }, expected, limits, () => undefined);
}
