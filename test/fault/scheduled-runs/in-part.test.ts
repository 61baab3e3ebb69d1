import { describe, expect, it } from "vitest";
import { newHooked } from "../../pipeline/cli/export/hooked.ts";
import { newSetting, type Setting } from "../../pipeline/cli/export/setting.ts";

const toChat = ["phones", "--to", "chat"];
const toHook = ["rows", "--to", "hook"];
function names({ receiver }: Setting): unknown[] {
  return receiver.rows().map(({ name }) => name);
}

describe("a delivery that ended partially", () => {
  it("is followed by a new one at the next scheduled time, which first sends the open rows and reports the rest", async () => {
    const setting = await newHooked("b", "c", "d");
    const due = (day: number): string[] => [...toHook, "--due", `2026-11-0${day}T06:00:00Z`];
    setting.receiver.fault(({ body }) =>
      body.includes('"b"') ? { status: 422 } : body.includes('"c"') ? { status: 410 } : undefined,
    );
    expect((await setting.run(due(1))).code).toBe(6);
    setting.receiver.fault(undefined);
    setting.give("y", "z");
    // The same due time is the same delivery.
    expect((await setting.run(due(1))).code).toBe(6);
    expect(names(setting)).toEqual(["c", "d"]);
    const next = await setting.run(due(2));
    expect(next.err).toMatch(
      /warning: rows to hook: a new delivery starts; unsent rows .*: 1 row refused/,
    );
    expect(next.code).toBe(0);
    expect(names(setting)).toEqual(["c", "d", "y", "z"]);
  });

  it("sends nothing again at the same scheduled time once all was sent, as after a schedule died", async () => {
    const setting = await newSetting();
    const due = (day: number): string[] => [...toChat, "--due", `2026-11-0${day}T06:00:00Z`];
    expect((await setting.run(due(1))).code).toBe(0);
    const again = await setting.run(due(1));
    expect(again).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        /nothing more is sent: the delivery scheduled for 2026-11-01T06.*is complete/,
      ),
    });
    expect(setting.service.arrived()).toHaveLength(5);
    expect((await setting.run([...due(1), "--dry-run"])).err).toMatch(/would deliver nothing/);
    expect((await setting.run([...due(1), "--retry-refused"])).code).toBe(2);
    expect((await setting.run(due(2))).code).toBe(0);
    expect(setting.service.arrived()).toHaveLength(10);
  });

  it("that was interrupted is completed at the next scheduled time", async () => {
    const setting = await newHooked("b", "c", "d");
    const due = (day: number): string[] => [...toHook, "--due", `2026-11-0${day}T06:00:00Z`];
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
    await setting.run(due(1));
    setting.give("y");
    // As long as that cannot go out, nothing else does.
    expect((await setting.run(due(2))).code).toBe(6);
    setting.receiver.fault(undefined);
    expect((await setting.run(due(3))).code).toBe(0);
    expect(names(setting)).toEqual(["b", "c", "d", "y"]);
  });
});
