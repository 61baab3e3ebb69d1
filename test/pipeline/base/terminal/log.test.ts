import fc from "fast-check";
import { expect, test } from "vitest";
import { newLog } from "../../../../pipeline/base/terminal/log.ts";
import { testKey } from "../../../support/key.ts";
import { listForms } from "../../../fault/canary/forms.ts";
import { testWorld } from "../../../support/world.ts";

const secret = `${testKey}+/1`;

test("a secret is never logged, plain, encoded or in base64", () => {
  const world = testWorld({ now: () => 0 });
  const log = newLog("debug", [secret], world);
  const base64 = Buffer.from(secret).toString("base64");
  log.debug({ a: secret, b: encodeURIComponent(secret) }, `sent ${base64}`);
  expect(world.err()).toBe(
    '{"level":20,"time":"1970-01-01T00:00:00.000Z","a":"[secret]","b":"[secret]","msg":"sent [secret]"}\n',
  );
});

test("property: a secret with quotes and backslashes, or inside other base64, is never logged", () => {
  // A path of ordinary words is no secret inside of a longer one.
  const printable = fc
    .string({ minLength: 8, unit: "grapheme-ascii" })
    .filter((secret) => !/^\/[a-z]/i.test(secret));
  const around = fc.string({ maxLength: 4, unit: "grapheme-ascii" });
  fc.assert(
    fc.property(printable, around, around, (chosen, before, after) => {
      const world = testWorld({ now: () => 0 });
      const text = `${before}${chosen}${after}`;
      const base64 = Buffer.from(text).toString("base64");
      const base64url = Buffer.from(text).toString("base64url");
      newLog("debug", [chosen], world).debug({ a: text, base64, base64url }, `sent ${text}`);
      const line = world.err();
      expect(() => JSON.parse(line) as unknown).not.toThrow();
      const { a, msg } = JSON.parse(line) as Record<string, string>;
      for (const shown of [a, msg]) expect(shown).not.toContain(chosen);
      const forms = listForms(chosen);
      for (const at of [0, 1, 2])
        for (const how of ["base64", "base64url"])
          expect(line).not.toContain(String(forms.get(`${how} at ${at}`)));
    }),
  );
});

test("an empty secret hides nothing, and a short one only itself", () => {
  const world = testWorld({ now: () => 0 });
  newLog("debug", ["", "/h"], world).debug({ path: "/h" }, "answered 200");
  expect(world.err()).toContain('"path":"[secret]","msg":"answered 200"');
});

test("lines below the level are not written", () => {
  const world = testWorld();
  newLog("warn", [], world).info({}, "quiet");
  expect(world.err()).toBe("");
});
