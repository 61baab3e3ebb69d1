import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeDraft } from "../../../../pipeline/base/home/drafts.ts";
import { temporaryFolder } from "../../../support/load.ts";

const failing = (code: string) => Object.assign(new Error(code), { code });

it("names are tried until one is free, and an error is reported if none is", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const tried: string[] = [];
  const made = await makeDraft(path, async (draft) => {
    if (tried.push(basename(draft)) < 3) throw failing("EEXIST");
    await writeFile(draft, "");
    return draft;
  });
  expect(basename(made)).toBe(tried[2]);
  expect(new Set(tried).size).toBe(3);
  let attempts = 0;
  const never = makeDraft(path, () => {
    attempts += 1;
    return Promise.reject(failing("EEXIST"));
  });
  await expect(never).rejects.toThrow("EEXIST");
  expect(attempts).toBeGreaterThan(3);
});

it("any other failure ends the attempts at once", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  let attempts = 0;
  const made = makeDraft(path, () => {
    attempts += 1;
    return Promise.reject(failing("EACCES"));
  });
  await expect(made).rejects.toThrow("EACCES");
  expect(attempts).toBe(1);
});
