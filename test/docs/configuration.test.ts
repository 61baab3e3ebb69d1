import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configSchema } from "../../schemas/config.ts";

test.each(["README.md", "docs/delivery.md"])("the configuration in %s is one", (path) => {
  const blocks = [...readFileSync(path, "utf8").matchAll(/^```json\n(.*?)^```/gms)];
  expect(blocks).not.toEqual([]);
  for (const [, text] of blocks)
    expect(configSchema.safeParse(JSON.parse(text!)).error?.issues ?? []).toEqual([]);
});
