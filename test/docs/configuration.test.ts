import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../schemas/config.ts";
import { workflow } from "../../schemas/workflow.ts";

test.each(["README.md", "docs/delivery.md", "docs/policies.md"])(
  "the configuration in %s is valid",
  (path) => {
    const blocks = [...readFileSync(path, "utf8").matchAll(/^```json\n(.*?)^```/gms)];
    expect(blocks).not.toEqual([]);
    for (const [, text] of blocks)
      expect(configSchema.safeParse(JSON.parse(text!)).error?.issues ?? []).toEqual([]);
  },
);

test.each(["docs/findings.md", "docs/looking.md"])(
  "the parts of a configuration in %s are valid",
  (path) => {
    const page = readFileSync(path, "utf8");
    const blocks = [...page.matchAll(/^```json configuration\n(.*?)^```/gms)];
    expect(blocks).not.toEqual([]);
    for (const [, text] of blocks)
      expect(configSchema.safeParse(JSON.parse(text!)).error?.issues ?? []).toEqual([]);
  },
);

test("the workflow in docs/delivery.md is valid", () => {
  const page = readFileSync("docs/delivery.md", "utf8");
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)];
  expect(blocks).not.toEqual([]);
  for (const [, text] of blocks)
    expect(workflow.safeParse(parse(text!)).error?.issues ?? []).toEqual([]);
});
