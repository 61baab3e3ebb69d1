import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolderStore, type Store } from "../../../../pipeline/adapters/lake/store.ts";
import {
  mendCopy,
  findNewestPublication,
  putPublication,
} from "../../../../pipeline/adapters/lake/publication.ts";
import { temporaryFolder } from "../../../support/load.ts";

it("puts the copy of the newest publication where it is missing or behind, and lets it be otherwise", async () => {
  const { path, remove } = temporaryFolder();
  const root = join(path, "lake");
  mkdirSync(root);
  const store = newFolderStore(root);
  for (const nowMs of [1, 2])
    await putPublication(store, nowMs, ({ ingesters, tables }) => ({ ingesters, tables }));
  const newest = (await findNewestPublication(store))!;
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

it("takes a copy that cannot be read for a missing one, unless it is of a newer form or alone", async () => {
  const { path, remove } = temporaryFolder();
  const root = join(path, "lake");
  mkdirSync(root);
  const store = newFolderStore(root);
  const damaged = Buffer.from('{"format": 1, "nig');
  await store.put("lake.json", damaged);
  await expect(findNewestPublication(store)).rejects.toThrow("lake.json of the lake");
  await store.remove("lake.json");
  await putPublication(store, 1, ({ ingesters, tables }) => ({ ingesters, tables }));
  const whole = (await store.get("lake.json"))!;
  await store.put("lake.json", damaged);
  await mendCopy(store, (await findNewestPublication(store))!);
  expect(await store.get("lake.json")).toEqual(whole);
  await store.put("lake.json", Buffer.from('{"format": 2}'));
  await expect(findNewestPublication(store)).rejects.toThrow("newer than this auditlake");
  remove();
});

it("leaves the copy at the newest publication, also where a slower publisher puts its own after a quicker one", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  const same: Parameters<typeof putPublication>[2] = ({ ingesters, tables }) => ({
    ingesters,
    tables,
  });
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
    expect(await putPublication(slower, 1, same)).toMatchObject({ night: 1 });
    expect(JSON.parse(String(await store.get("lake.json")))).toMatchObject({ night: 3 });
  } finally {
    remove();
  }
});

it("finds the newest publication where the copy names one of long ago, which is no longer there", async () => {
  const { path, remove } = temporaryFolder();
  const store = newFolderStore(join(path, "lake"));
  for (const nowMs of [1, 2, 3, 4])
    await putPublication(store, nowMs, ({ ingesters, tables }) => ({ ingesters, tables }));
  const names = (await store.list("_nights/")).map(({ name }) => name);
  await store.put("lake.json", (await store.get(names[0]!))!);
  for (const name of names.slice(0, 2)) await store.remove(name);
  expect((await findNewestPublication(store))?.night).toBe(4);
  // Whoever took away all of them has the copy alone.
  for (const name of names) await store.remove(name);
  expect((await findNewestPublication(store))?.night).toBe(1);
  remove();
});
