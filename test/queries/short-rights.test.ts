import { expect, test } from "vitest";
import { homeWithWarehouse } from "../support/home.ts";

const startS = Date.UTC(2026, 2, 2, 10) / 1000;
const daysS = 86_400;
type Step = readonly [
  seconds: number,
  event: "attach" | "detach" | "create" | "delete",
  id?: number,
];

const listRecords = (policy: string, steps: readonly Step[]): object[] =>
  steps.map(([seconds, event, id], i) => ({
    id: `${policy} ${i}`,
    time: startS + seconds,
    user_email: "root@example.com",
    event_name: `permission_policy_${event}${id === undefined ? "" : "_user"}`,
    resource_id: policy,
    resource_name: `Policy ${policy}`,
    ...(id === undefined ? {} : { affected_user_id: id }),
  }));

const show = async (records: readonly object[], ...argv: string[]): Promise<unknown[]> => {
  using home = await homeWithWarehouse();
  expect(await home.load(records)).toMatchObject({ code: 0 });
  const range = ["--since", "2026-03-02", "--until", "2026-03-03", "--format", "json"];
  const { out } = await home.run(["report", "run", "short_rights", ...range, ...argv]);
  const rows = JSON.parse(out) as Record<string, string>[];
  return rows.map(({ subject_id, granted_at, taken_at, is_uncertain }) => {
    const seconds = [granted_at, taken_at].map((at) => Date.parse(at!) / 1000 - startS);
    return [Number(subject_id), ...seconds, is_uncertain];
  });
};

test("a grant that is revoked within one second is reported, with any end, also if it was granted again", async () => {
  const records = [
    ...listRecords("7", [
      [0, "create"],
      [60, "attach", 1],
      [60, "detach", 1],
      [120, "attach", 2],
      [180, "detach", 2],
      [180, "attach", 2],
      [180, "detach", 2],
      [240, "attach", 3],
      [240, "detach", 3],
      [240, "attach", 3],
    ]),
    ...listRecords("8", [
      [0, "create"],
      [300, "attach", 4],
      [300, "delete"],
    ]),
  ];
  expect(await show(records, "--param", "hours=0")).toEqual([
    [1, 60, 60, false],
    [2, 180, 180, false],
    // Both may have been given before the one was taken.
    [3, 240, 240, true],
    [4, 300, 300, false],
  ]);
});

test("a right that is revoked and granted again within one second is unchanged, and an unknown order is uncertain", async () => {
  // No record shows whether the second one belonged to it before, nor do the places: the file runs both ways.
  const records = [
    ...listRecords("9", [
      [180, "attach", 2],
      [180, "detach", 2],
    ]),
    ...listRecords("7", [
      [-2 * daysS, "create"],
      [-daysS, "attach", 1],
      [120, "detach", 1],
      [120, "attach", 1],
      [600, "attach", 5],
    ]),
  ];
  expect(await show(records)).toEqual([[2, 180, 180, true]]);
});
