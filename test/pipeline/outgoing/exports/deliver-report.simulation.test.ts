import { expect, it } from "vitest";
import { newHooked } from "../../cli/export/hooked.ts";

const toHook = ["rows", "--to", "hook"];
const due = (day: number): string[] => ["--due", `2026-11-0${day}T06:00:00Z`];

// Of b and c the latter did not go out; since then the report gives d alone.
it.each<[first: string, next: string, given: { first: string[]; next: string[] }, more: string[]]>([
  ["by hand", "by hand", { first: [], next: [] }, ["c"]],
  ["for a due time", "by hand", { first: due(1), next: [] }, ["c"]],
  ["for a due time", "for the same one", { first: due(1), next: due(1) }, ["c"]],
  ["for a due time", "for a later one", { first: due(1), next: due(2) }, ["c", "d"]],
  ["by hand", "for a due time", { first: [], next: due(2) }, ["c", "d"]],
])(
  "an export started %s that was interrupted one row short: the next export, %s",
  async (_, __, given, more) => {
    const setting = await newHooked("b", "c");
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
    expect((await setting.run([...toHook, ...given.first])).code).toBe(6);
    setting.receiver.fault(undefined);
    setting.give("d");
    const again = await setting.run([...toHook, ...given.next]);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("resumes the delivery") });
    expect(setting.receiver.rows()).toEqual(["b", ...more].map((name) => ({ name })));
  },
);

it("a completed delivery of a scheduled time has nothing refused or uncertain to resend", async () => {
  const setting = await newHooked("b");
  expect((await setting.run([...toHook, ...due(1)])).code).toBe(0);
  for (const [flag, what] of [
    ["--retry-refused", "refused"],
    ["--resend-uncertain", "uncertain"],
  ] as const)
    expect(await setting.run([...toHook, ...due(1), flag])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`nothing is ${what}: no delivery`),
    });
  expect((await setting.run([...toHook, ...due(1)])).err).toContain("nothing more is sent");
  expect(setting.receiver.rows()).toEqual([{ name: "b" }]);
});

it("an interrupted delivery does not delay another report to the same target", async () => {
  const setting = await newHooked("b", "c");
  setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
  expect((await setting.run(toHook)).code).toBe(6);
  setting.receiver.fault(undefined);
  const other = ["happened", "--to", "hook"];
  const first = await setting.run(other);
  expect(first).toMatchObject({
    code: 0,
    err: expect.not.stringContaining("resumes the delivery"),
  });
  expect(setting.receiver.rows()).toHaveLength(3);
  expect((await setting.run(toHook)).code).toBe(0);
  expect(setting.receiver.rows().slice(3)).toEqual([{ name: "c" }]);
});
