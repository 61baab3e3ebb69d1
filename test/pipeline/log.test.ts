import { expect, test } from "vitest";
import { newLog } from "../../pipeline/log.ts";
import { testKey } from "../support/key.ts";
import { testWorld } from "../support/world.ts";

const secret = `${testKey}+/1`;

test("a secret never passes, plain, encoded or in base64", () => {
  const world = testWorld({ now: () => 0 });
  const log = newLog("debug", [secret], world);
  const base64 = Buffer.from(secret).toString("base64");
  log.debug({ a: secret, b: encodeURIComponent(secret) }, `sent ${base64}`);
  expect(world.err()).toBe(
    '{"level":20,"time":"1970-01-01T00:00:00.000Z","a":"[secret]","b":"[secret]","msg":"sent [secret]"}\n',
  );
});

test("what is below the level is not written", () => {
  const world = testWorld();
  newLog("warn", [], world).info({}, "quiet");
  expect(world.err()).toBe("");
});
