import { totalmem } from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import { checkMemory } from "../../../../pipeline/cli/doctor/machine.ts";
import {
  computeLakeLimits,
  loadLimits,
  readMachineBytes,
  readLimits,
} from "../../../../pipeline/core/store/limits.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { newHome } from "../../../support/home.ts";

// What a database may use: as configured, else a share of the machine, so that a load takes 1 GB in all at most.

const config = configSchema.parse({});

it.each([
  [64e6, "128MB", "128MB"],
  [512e6, "204MB", "204MB"],
  [1e9, "400MB", "400MB"],
  [4e9, "400MB", "1600MB"],
  [64e9, "400MB", "2000MB"],
])("of %d bytes a load uses %s and an answer %s", (bytes, load, read) => {
  expect(loadLimits(config, bytes).memoryLimit).toBe(load);
  expect(readLimits(config, bytes).memoryLimit).toBe(read);
});

it("the memory limit is what the configuration says", () => {
  const own = configSchema.parse({ memory_limit: "3GB", threads: 1 });
  for (const limits of [computeLakeLimits, loadLimits, readLimits])
    expect(limits(own, 1e9)).toEqual({ memoryLimit: "3GB", threads: 1 });
});

it("the memory limit depends on the machine, or on a smaller container limit", () => {
  expect(readMachineBytes()).toBeGreaterThan(100e6);
  expect(readMachineBytes()).toBeLessThanOrEqual(totalmem());
});

it("the memory limit is shown by doctor, which warns if a load hardly fits", async () => {
  expect(checkMemory(config, 64e9)).toMatchObject({
    level: "ok",
    text: "64.0 GB on this machine; database limits: loads 400MB, queries 2000MB, derived from it",
  });
  const small = checkMemory(configSchema.parse({ memory_limit: "300MB" }), 512e6);
  expect(small).toMatchObject({
    level: "warn",
    text: expect.stringMatching(/loads 300MB, .*by memory_limit; a load needs 800 MB in total$/),
  });
  using home = newHome();
  expect((await home.run(["doctor", "--no-reports"])).out).toMatch(
    /^ok +memory +.* on this machine; /m,
  );
});

afterEach(() => vi.restoreAllMocks());

it.each([
  [0, totalmem()],
  [5e8, 5e8],
  [2 ** 63, totalmem()],
])(
  "%i bytes of a container limit replace the machine's memory, if they are less",
  (granted, bytes) => {
    vi.spyOn(process, "constrainedMemory").mockReturnValue(granted);
    expect(readMachineBytes()).toBe(bytes);
  },
);
