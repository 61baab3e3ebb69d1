import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cacheWhilePublished } from "../../../../pipeline/adapters/serve/pool.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeAll(() => {
  folder = temporaryFolder();
  path = join(folder.path, "audit.duckdb");
  publish();
});
afterAll(() => folder.remove());

function publish(): void {
  writeFileSync(`${path}.draft`, "");
  renameSync(`${path}.draft`, path);
}

it("reads once per published file, at most once per interval, for all clients at the same time", async () => {
  let [asked, nowMs] = [0, 0];
  const work = (): Promise<number> => Promise.resolve((asked += 1));
  const kept = cacheWhilePublished(path, () => nowMs, 1000, work);
  expect(await Promise.all([kept(1), kept(2), kept(3)])).toEqual([1, 1, 1]);
  nowMs = 999;
  expect(await kept(1)).toBe(1);
  nowMs = 1000;
  expect(await kept(1)).toBe(2);
  publish();
  expect(await kept(1)).toBe(3);
});

it("reads again after a failure, and never replaces a newer answer with an older one", async () => {
  const answers: PromiseWithResolvers<string>[] = [];
  const work = (): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    answers.push(answer);
    return answer.promise;
  };
  const kept = cacheWhilePublished(path, () => 0, 1000, work);
  const failing = kept(1);
  publish();
  const good = kept(1);
  answers[1]!.resolve("good");
  answers[0]!.reject(new Error("slow and bad"));
  await expect(failing).rejects.toThrow("slow and bad");
  expect([await good, await kept(1), answers.length]).toEqual(["good", "good", 2]);
  publish();
  const again = kept(1);
  answers[2]!.reject(new Error("bad"));
  await expect(again).rejects.toThrow("bad");
  void kept(1);
  expect(answers.length).toBe(4);
});
