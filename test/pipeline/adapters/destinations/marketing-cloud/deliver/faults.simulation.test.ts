import { describe, expect, it } from "vitest";
import { newJsonReply, type Fault } from "../../../../../../fixtures/destinations/destination.ts";
import { nth, newRows, toRows } from "../sent.ts";
import { failure, newSetting } from "../setting.ts";

// Each step of a delivery has one fault in turn, and a delivery that ends there is repeated. The data extension holds
// exactly the right rows.

const rows = () => toRows(newRows(120));
const wanted = newRows(120).map(([id]) => id);
const everything = {
  folder_path: "/a/b",
  create_folder_if_not_exists: true,
  create_new_de: true,
  primary_column: "id",
  data_operation: "replace",
};
const kinds: Readonly<Record<string, Fault>> = {
  "503": newJsonReply(503, {}),
  "429": newJsonReply(429, {}, { "retry-after": "7" }),
  "reset before it acts": "reset",
  "answer lost": "lose",
};
const yes = { confirmed: true };

async function steps(more: Readonly<Record<string, unknown>>): Promise<number> {
  const tried = await newSetting({ isEmpty: true });
  await tried.deliver(rows(), { ...everything, ...more }, yes);
  return tried.account.calls.length;
}

describe.each([
  ["synchronous", { async: false }],
  ["asynchronous", { async: true, records_per_batch: 100 }],
])("%s: a temporary fault", (_how, more) => {
  it.each(Object.keys(kinds))(
    "(%s) at any single step changes nothing in the end",
    async (kind) => {
      const count = await steps(more);
      expect(count).toBeGreaterThan(14);
      for (let step = 1; step <= count; step++) {
        const setting = await newSetting({ isEmpty: true });
        setting.account.fault(nth(() => true, [step], kinds[kind]!));
        const delivery = await setting.deliver(rows(), { ...everything, ...more }, yes);
        setting.account.carryOutAll();
        expect({ step, ...delivery }).toMatchObject({ step, accepted: 120, refused: 0 });
        expect(setting.ids()).toEqual(wanted);
        expect(setting.account.folders()).toEqual(["/a", "/a/b"]);
      }
    },
  );

  it("that is permanent ends the delivery at any step, and a repeat brings the right rows", async () => {
    const count = await steps(more);
    for (let step = 1; step <= count; step++) {
      const setting = await newSetting({ isEmpty: true });
      let seen = 0;
      setting.account.fault(() => ((seen += 1) >= step ? "reset" : undefined));
      const error = await failure(setting.deliver(rows(), { ...everything, ...more }, yes));
      expect(error.message).not.toBe("it did not fail");
      expect(error).toHaveProperty("exitCode");
      setting.account.fault(undefined);
      await setting.deliver(rows(), { ...everything, ...more }, yes);
      setting.account.carryOutAll();
      expect(setting.ids()).toEqual(wanted);
    }
  });
});
