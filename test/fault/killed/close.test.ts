import { once } from "node:events";
import { expect, it } from "vitest";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { openPublished, openWarehouse } from "../../../pipeline/core/store/open.ts";
import { newHome } from "../../support/home.ts";
import { spawnCommand } from "../../support/killed.ts";
import { fewOrAll } from "../length.ts";

const limits = { memoryLimit: "100MB", threads: 1 };
const aside = { nowMs: 0, print: (): void => undefined };

it("a closed database releases its file at once, repeatedly: another process can write to it", async () => {
  using home = newHome();
  await home.load([{ time: 1, event_name: "sign_in" }]);
  const { warehouse, published, staging } = resolveHome(home.home);
  for (let i = 0; i < fewOrAll(15, 200); i++) {
    await using reader = await openPublished(published, limits);
    await reader.connection.run("select count(*) from events");
    await using writer = await openWarehouse(warehouse, staging, limits, aside);
    await writer.connection.run("select count(*) from events");
  }
  const child = spawnCommand(["--home", home.home, "publish"]);
  child.stderr!.resume();
  await once(child, "exit");
  expect(child.exitCode).toBe(0);
});
