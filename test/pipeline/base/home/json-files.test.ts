import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { listJson, writeJson } from "../../../../pipeline/base/home/json-files.ts";
import { temporaryFolder } from "../../../support/load.ts";

const schema = z.strictObject({ at: z.string() });

function filesIn(folder: string): Parameters<typeof listJson<z.infer<typeof schema>>>[0] {
  return { folder, schema, key: ({ at }) => at, unreadable: " is none; move it away" };
}

it("JSON files are read in the order of their keys, with any file names", async () => {
  const { path, remove } = temporaryFolder();
  try {
    const folder = join(path, "kept");
    expect(listJson(filesIn(folder))).toEqual([]);
    mkdirSync(folder);
    for (const [name, at] of Object.entries({ a: "3", b: "1", c: "2" }))
      await writeJson(folder, name, { at });
    writeFileSync(join(folder, "a.json.new"), "{");
    expect(listJson(filesIn(folder)).map(({ at }) => at)).toEqual(["1", "2", "3"]);
    expect(readFileSync(join(folder, "a.json"), "utf8")).toMatch(/\n$/);
  } finally {
    remove();
  }
});

it.each(["{", "null", '{"at":1}', '{"at":"1","more":"secret"}'])(
  "an error names the file that contains %s, and shows nothing of it",
  (text) => {
    const { path, remove } = temporaryFolder();
    try {
      writeFileSync(join(path, "bad.json"), text);
      expect(() => listJson(filesIn(path))).toThrow(/^\S+bad\.json is none; move it away$/);
    } finally {
      remove();
    }
  },
);
