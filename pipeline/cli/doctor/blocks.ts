import { commandText } from "../../base/command-line.ts";
import { statSync } from "node:fs";
import { canShareBlocks, firstDifference } from "../../base/home/copy.ts";
import { messageOf } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import type { Database } from "../../core/store/open.ts";
import { causeOf } from "../../core/store/open-fault.ts";
import { isPublished, readWhole } from "../../core/store/publish.ts";
import { bytesText } from "../../base/terminal/amounts.ts";
import { fail, type Finding, ok } from "./finding.ts";

/** What publishing costs here. */
export async function publishingFinding({ root, published }: Home): Promise<Finding> {
  if (await canShareBlocks(root))
    return ok("publishing", "the file system shares blocks: a copy costs nothing");
  const size = bytesText(statSync(published).size);
  return ok("publishing", `the file system shares no blocks: each run copies ${size}`);
}

/** Whether every block of the published file can be read, and whether the warehouse holds the same. */
export async function blocksFinding(home: Home, { connection }: Database): Promise<Finding> {
  const { warehouse, published } = home;
  const cause = await readWhole(connection).then(
    () => undefined,
    (error: unknown) => causeOf(messageOf(error)),
  );
  const isCopy = lockState(home.lock).state === "free" && (await isPublished(home));
  const at = isCopy ? await firstDifference(warehouse, published) : undefined;
  if (cause !== undefined) {
    const verb = isCopy && at === undefined ? "rebuild" : "publish";
    return fail("blocks", `${published} is damaged: ${cause}; run auditlake ${verb}`);
  }
  if (at !== undefined)
    return fail(
      "blocks",
      `${warehouse} differs from its whole copy at byte ${at}; run ${commandText("rebuild")}`,
    );
  return ok("blocks", isCopy ? "all can be read, the warehouse holds the same" : "all can be read");
}
