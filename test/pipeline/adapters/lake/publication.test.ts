import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolderStore, type Store } from "../../../../pipeline/adapters/lake/store.ts";
import {
  repairCopy,
  findNewestPublication,
  putPublication,
} from "../../../../pipeline/adapters/lake/publication.ts";
import { temporaryFolder } from "../../../support/load.ts";

const same: Parameters<typeof putPublication>[2] = ({ ingesters, tables }) => ({
  ingesters,
  tables,
});

it("puts a copy of the newest publication if it is missing or behind, and ignores other differences", async () => {
  const { path, remove } = temporaryFolder();
  const root = join(path, "lake");
  mkdirSync(root);
  const store = newFolderStore(root);
  for (const nowMs of [1, 2]) await putPublication(store, nowMs, same);
  const newest = (await findNewestPublication(store))!;
  const whole = (await store.get("lake.json"))!;
  expect(JSON.parse(String(whole))).toEqual(newest);
  await store.remove("lake.json");
  await repairCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(whole);
  await store.put("lake.json", Buffer.from(JSON.stringify({ ...newest, publication: 1 })));
  await repairCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(whole);
  const spelled = Buffer.from(JSON.stringify(newest));
  await store.put("lake.json", spelled);
  await repairCopy(store, newest);
  expect(await store.get("lake.json")).toEqual(spelled);
  remove();
});

it("treats an unreadable copy as missing, unless it is of a newer format or the only one", async () => {
  const { path, remove } = temporaryFolder();
  const root = join(path, "lake");
  mkdirSync(root);
  const store = newFolderStore(root);
  const damaged = Buffer.from('{"format": 1, "pub');
  await store.put("lake.json", damaged);
  await expect(findNewestPublication(store)).rejects.toThrow("lake.json of the lake");
  await store.remove("lake.json");
  await putPublication(store, 1, same);
  const whole = (await store.get("lake.json"))!;
  await store.put("lake.json", damaged);
  await repairCopy(store, (await findNewestPublication(store))!);
  expect(await store.get("lake.json")).toEqual(whole);
  await store.put("lake.json", Buffer.from('{"format": 2}'));
  await expect(findNewestPublication(store)).rejects.toThrow("newer than this auditlake");
  remove();
});

it("leaves the copy at the newest publication, also where a slower publisher puts its own after a quicker one", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  let isQuicker = false;
  const slower: Store = {
    ...store,
    put: async (name, bytes) => {
      // The other one comes between the number and the copy.
      if (name === "lake.json" && !isQuicker) {
        isQuicker = true;
        for (const nowMs of [2, 3]) await putPublication(store, nowMs, same);
      }
      await store.put(name, bytes);
    },
  };
  try {
    expect(await putPublication(slower, 1, same)).toMatchObject({ publication: 1 });
    expect(JSON.parse(String(await store.get("lake.json")))).toMatchObject({ publication: 3 });
  } finally {
    remove();
  }
});

it("finds the newest publication if the copy names a deleted one", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  for (const nowMs of [1, 2, 3, 4]) await putPublication(store, nowMs, same);
  const names = (await store.list("_publications/")).map(({ name }) => name);
  await store.put("lake.json", (await store.get(names[0]!))!);
  for (const name of names.slice(0, 2)) await store.remove(name);
  expect((await findNewestPublication(store))?.publication).toBe(4);
  // If all of them were deleted, only the copy remains.
  for (const name of names) await store.remove(name);
  expect((await findNewestPublication(store))?.publication).toBe(1);
  remove();
});

it("refuses a lake with the old folder or key, and changes nothing there", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  const old = Buffer.from('{"format": 1, "night": 1, "at": "", "ingesters": {}, "tables": {}}');
  const refusal =
    /^the lake .* was written by an earlier auditlake: the folder _nights and the key "night"; nothing was changed: rename/;
  await store.put(`_nights/${"1".padStart(20, "0")}.json`, old);
  await expect(putPublication(store, 1, same)).rejects.toThrow(refusal);
  await store.put("lake.json", old);
  await expect(putPublication(store, 1, same)).rejects.toThrow(refusal);
  await store.remove(`_nights/${"1".padStart(20, "0")}.json`);
  await expect(putPublication(store, 1, same)).rejects.toThrow(refusal);
  expect((await store.list("")).map(({ name }) => name)).toEqual(["lake.json"]);
  remove();
});

it("continues a lake whose old names were changed by hand", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  const renamed = '{"format": 1, "publication": 4, "at": "", "ingesters": {}, "tables": {}}';
  await store.put(`_publications/${"4".padStart(20, "0")}.json`, Buffer.from(renamed));
  expect(await putPublication(store, 1, same)).toMatchObject({ publication: 5 });
  remove();
});
