import { expect, test } from "vitest";
import type { Finding } from "../../../../pipeline/answers/findings/find.ts";
import { readUsualDays } from "../../../../pipeline/answers/findings/usual-days.ts";
import { openDetectionHome } from "../../../support/detection-home.ts";

const dayS = 86_400;
const startS = Date.UTC(2026, 2, 1) / 1000;

/** Downloads of people by day: user, day, sizes. */
const downloads: readonly (readonly [user: number, day: number, sizes: readonly number[]])[] = [
  [17, 20, [5_000_000, 7_000_000]],
  [17, 3, [900]],
  [18, 4, [100, 200]],
  [18, 5, [40]],
  [19, 20, [2000]],
  [20, 21, [999_999_999]],
  [21, -15, [888_888_888]],
];

test("the usual days of others are the 30 days before, up to the finding's last day", async () => {
  await using home = await openDetectionHome({}, []);
  const records = downloads.flatMap(([user, day, sizes]) =>
    sizes.map((size, n) => ({
      id: `${user}-${day}-${n}`,
      time: startS + day * dayS + n,
      event_name: "job_result_download",
      event_result: "success",
      user_id: user,
      bytesize: size,
    })),
  );
  await home.load(records);
  const moment = new Date((startS + 20 * dayS + 60) * 1000).toISOString().slice(0, 19);
  const finding = {
    subjectKind: "user",
    subject: "user 17",
    source: "default",
    key: JSON.stringify({ source: "default", user_id: "17" }),
    firstMoment: moment.replace("T", " "),
    lastMoment: moment.replace("T", " "),
  } as unknown as Finding;
  const days = await readUsualDays(home.connection, finding);
  const others = downloads.filter(([user, day]) => user !== 17 && day >= -10 && day <= 20);
  const sums = others
    .map(([, , sizes]) => sizes.reduce((sum, size) => sum + size, 0))
    .toSorted((a, b) => a - b);
  const bins = Map.groupBy(sums, (sum) => Math.floor(Math.log10(sum) * 2));
  expect(days.find(({ measure }) => measure === "bytes")).toEqual({
    measure: "bytes",
    own: 12_000_000,
    median: sums[1],
    highest: sums.at(-1),
    days: sums.length,
    bins: new Map([...bins].map(([bin, own]) => [bin, own.length])),
  });
  expect(days.find(({ measure }) => measure === "downloads")).toMatchObject({ own: 2, highest: 2 });
  expect(await readUsualDays(home.connection, { ...finding, subjectKind: "policy" })).toEqual([]);
});
