import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/load.ts";
import { generatedCases } from "./hostile/calls.ts";
import { writtenCases } from "./hostile/cases.ts";
import { attack, newField } from "./hostile/field.ts";
import { hostileFigure } from "./hostile.ts";

afterEach(() => void vi.unstubAllEnvs());

test("hostile statements change nothing and end in time", { timeout: 300_000 }, async () => {
  expect(7 * hostileFigure.short).toBe(writtenCases({ db: "", dir: "", secret: "" }).length);
  const { done, failures } = await hostileFigure.run(hostileFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(hostileFigure.short);
});

test("hostile report files change nothing and end in time", { timeout: 300_000 }, async () => {
  const [first, count] = [hostileFigure.long / 2 + 1, Math.ceil(hostileFigure.short / 5)];
  const { done, failures } = await hostileFigure.run(count, first, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(count);
});

test("calls of functions with options pass the binder and are refused", async () => {
  const { path, remove } = temporaryFolder();
  vi.stubEnv("TMPDIR", path);
  try {
    const field = await newField(path);
    const before = field.state();
    const cases = await generatedCases(field.targets);
    for (const name of [
      "enable_logging",
      "enable_profiling",
      "read_csv",
      "read_json",
      "sniff_csv",
    ]) {
      const call = cases.find(({ title }) => title === `table ${name} with paths`)!;
      const { isBound, complaints } = await attack({ ...call, end: "rejected" }, field, before);
      expect([name, isBound, complaints]).toEqual([name, true, []]);
    }
  } finally {
    remove();
  }
});
