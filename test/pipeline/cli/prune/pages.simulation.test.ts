import { describe, expect, it } from "vitest";
import type { Row } from "../../../support/rows.ts";
import { newScene } from "./scene.ts";

const scene = newScene();

describe("prune of pages only", () => {
  it("leaves a tombstone in their place, and the events survive a rebuild", async () => {
    const before = { events: await scene.stage.events(), landed: scene.stage.landed() };
    const { code, err } = await scene.stage.prune("--yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /pruned 4 reads, 4 files of pages \(\d+ bytes\); the database can be rebuilt from landing from 2026-02-25T00:00:00Z on\n$/,
      ),
    ]);
    expect(scene.stage.landed()["reads"]).toHaveLength(before.landed["reads"]!.length - 4);
    expect(scene.stage.landed()["pages"]).toHaveLength(before.landed["pages"]!.length - 4);
    expect(scene.stage.landed()["pruned"]).toHaveLength(1);
    expect(await scene.stage.events()).toEqual(before.events);
    const kept = await scene.stage.ledger();
    const rebuilt = await scene.home.run(["rebuild"]);
    expect([rebuilt.code, rebuilt.err]).toEqual([
      0,
      expect.stringMatching(/same as before; 4 reads taken from the previous database\n$/),
    ]);
    expect(await scene.stage.events()).toEqual(before.events);
    expect(await scene.stage.ledger()).toEqual(kept);
    expect((await scene.stage.prune("--yes")).err).toMatch(/nothing to remove\n$/);
  });
});

it("a rebuild classifies events of pruned reads by today's catalog", async () => {
  const file = scene.home.write("new.ndjson", '{"time":1577836800,"event_name":"robot_feed"}\n');
  await scene.home.run(["import", file], { now: () => scene.remote.clock.nowMs });
  await scene.stage.prune("--yes");
  const matches = (): Promise<Row[]> =>
    scene.home.rows("select catalog_match, area from events where event_name = 'robot_feed'");
  expect(await matches()).toEqual([{ catalog_match: "unknown_event", area: null }]);
  const robots = { area: "Robots", events: [{ event: "robot_feed", trigger: "a robot is fed" }] };
  scene.home.write("robots.json", JSON.stringify(robots));
  const config = scene.home.write(
    "auditlake.json",
    JSON.stringify({ catalog: { extra: "robots.json" } }),
  );
  const rebuilt = await scene.home.run(["--config", config, "rebuild"]);
  expect([rebuilt.code, rebuilt.err]).toEqual([0, expect.stringContaining("same as before")]);
  expect(await matches()).toEqual([{ catalog_match: "non_http_trigger", area: "Robots" }]);
});
