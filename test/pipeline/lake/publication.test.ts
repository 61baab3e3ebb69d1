import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import { mendCopy, newestPublication, putPublication } from "../../../pipeline/lake/publication.ts";
import { temporaryFolder } from "../../support/load.ts";

it("puts the copy of the newest publication where it is missing or behind, and lets it be otherwise", async () => {
  const { path, remove } = temporaryFolder();
  const root = join(path, "lake");
  mkdirSync(root);
  const store = folderStore(root);
  for (const nowMs of [1, 2])
    await putPublication(store, nowMs, ({ ingesters, tables }) => ({ ingesters, tables }));
  const newest = (await newestPublication(store))!;
  const whole = (await store.get("lake.json"))!;
  expect(JSON.parse(String(whole))).toEqual(newest);
  await store.remove("lake.json");
  await mendCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(whole);
  await store.put("lake.json", Buffer.from(JSON.stringify({ ...newest, night: 1 })));
  await mendCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(whole);
  const spelled = Buffer.from(JSON.stringify(newest));
  await store.put("lake.json", spelled);
  await mendCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(spelled);
  remove();
});
