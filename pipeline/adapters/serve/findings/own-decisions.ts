import { parseSpaced } from "../../../base/time/text.ts";
import { readDecided } from "../../../answers/findings/queue.ts";
import { ask } from "../ask.ts";
import type { Visit } from "../visit.ts";
import { getVisitor } from "../visitor.ts";
import { undoMs } from "./forms.ts";

/** What a page knows of decisions: the time of the newest, and what the person has just acknowledged. */
export type OwnDecisions = Awaited<ReturnType<typeof readDecided>>;

/** Signal of a read that several requests share: it does not end with one of them. */
export const noSignal = new AbortController().signal;

/** Reads the newest decision once for all visitors, and the visitor's own decision if it can be undone. */
export async function readOwnDecisions({ site, gone }: Visit): Promise<OwnDecisions> {
  const nowMs = site.world.now();
  const key = `decisions ${site.settings.flags.source ?? ""}`;
  const all = await site.share(key, () =>
    ask(site, noSignal, (connection) => readDecided(connection, "", nowMs)),
  );
  const newestMs = parseSpaced(`${all.newestAt}Z`);
  const user = getVisitor()?.user;
  if (user === undefined || !(newestMs >= nowMs - undoMs)) return all;
  return ask(site, gone, (connection) => readDecided(connection, user, nowMs - undoMs));
}
