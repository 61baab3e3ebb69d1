import { expect, test } from "vitest";
import { newRemote } from "../support/remote.ts";
import { loadRecords } from "../support/load-records.ts";
import { noon, play } from "./access-play.ts";
import { oracles } from "./oracle/all.ts";
import { thresholds } from "./oracle/cases.ts";
import { comparable } from "./oracle/comparable.ts";
import { reports, runReport } from "./run.ts";

// The reports on permissions read the log of a service whose access control has been changed over HTTP. Each is
// compared with a computation of its own over the raw records; every parameter is used.
const minute = 60_000;

test("the reports on access agree with the oracles on a stateful service's log", async () => {
  await using remote = await newRemote(noon);
  const { access, states } = await play(remote, 8, 120);
  const records = access.events().map(({ record }) => record);
  const users = access.users();
  const database = access.snapshot().shares[0]!.database_id;
  const [owner, second] = users;
  const policy = access.snapshot().policies[0]!;
  const end = states.at(-1)!.fromMs;
  const own = [
    {},
    { database, user: String(second!.id), policy: policy.id, hours: 2 },
    { database: "CRM", user: owner!.email.toUpperCase(), policy: policy.name.toUpperCase() },
    { database: "nothing", user: "nobody@example.com", policy: "0" },
  ];
  const moments = [noon, (noon + end) / 2, end + 1000, noon - 90 * minute];
  const { connection, close } = await loadRecords(records, users);
  try {
    for (const [i, on] of moments.entries())
      await compare({ since: noon - 90 * minute, until: end + 1000, on }, own[i]!);
  } finally {
    await close();
  }

  async function compare(
    range: { since: number; until: number; on: number },
    own: Readonly<Record<string, string | number>>,
  ): Promise<void> {
    for (const report of reports.filter(({ family }) => family === "access")) {
      const all = { ...range, ...thresholds[report.name], ...own };
      const names = new Set(["since", "until", ...report.params.map(({ name }) => name)]);
      const params = {
        ...range,
        ...Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))),
      };
      const given = Object.entries(params).map(([name, value]): [string, string] => [
        name,
        name in range ? new Date(value).toISOString() : String(value),
      ]);
      const { rows } = await runReport(connection, report, new Map(given));
      const expected = oracles[report.name]!(records, users, params);
      expect.soft(comparable(rows), report.name).toEqual(comparable(expected));
    }
  }
}, 180_000);
