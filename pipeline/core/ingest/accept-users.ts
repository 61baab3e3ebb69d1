import { notify, warning } from "../../base/notice/notice.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { acceptUsers, storeLandedUsers } from "../load/landed-users.ts";
import { withWriter } from "../session/write.ts";
import { endedText } from "../completeness/directory.ts";
import { requireSource } from "../store/of-source.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import type { World } from "../../base/world.ts";

/** Accepts the user list of a source that was held back, under the lock, and warns of the users whom that ends. */
export async function acceptUserList(
  { name }: NamedSource,
  reason: string,
  settings: Settings,
  world: World,
): Promise<void> {
  const { landing } = settings.home;
  const print = plainPrinter(world, settings.flags);
  await withWriter(settings, world, "users accept", async ({ database: { connection } }) => {
    await requireSource(connection, name);
    await storeLandedUsers(landing, connection);
    const ended = await acceptUsers(landing, connection, name, reason, world.now());
    if (ended === undefined) return print(`no user list of source ${name} is held back`);
    notify(world, warning("text", { text: `${endedText(name, ended)}` }));
  });
}
