import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../cli/run-cli.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { writePublished } from "../../published-file.ts";

// The policy of one of them has a right that its first snapshot does not have and the log does not show.
const readAt = "timestamp '2026-11-07'";
const statements = [
  ...["east", "west"].flatMap((source) =>
    ["timestamp '2026-11-06'", readAt].map(
      (at) =>
        `insert into policy_snapshots (snapshot_id, source, policy_id, read_at, state, permissions) values ('s', '${source}', '9', ${at}, 'present', 0)`,
    ),
  ),
  `insert into policy_permission_rows
     (source, policy_id, resource_kind, operation, object_id, valid_from, last_seen_at, snapshot_id)
   values ('east', '9', 'Databases', 'query', '1', ${readAt}, ${readAt}, 's')`,
];

it("--source limits the check for drift to that source", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  await writePublished(join(path, "audit.duckdb"), statements);
  const status = (...argv: string[]) =>
    runCli(["--home", path, ...argv, "status", "--fail-on", "drift"], {
      now: "2026-11-08T12:00:00Z",
    });
  const found = { code: 3, stderr: "found: drift\n" };
  expect(await status()).toMatchObject(found);
  expect(await status("--source", "east")).toMatchObject(found);
  expect(await status("--source", "west")).toMatchObject({ code: 0, stderr: "" });
});

it("a policy counts as deleted unexpectedly only if the log does not show its deletion before, recreated or not", async () => {
  const listMessages = (id: string, name: string, hour: number): string =>
    `insert into access_event_rows (
       event_key, source, event_time, event_date, canonical_name, is_successful, resource_id
     ) values (
       uuid(), 'east', timestamp '2026-11-06' + to_hours(${hour}), date '2026-11-06',
       'permission_policy_${name}', true, '${id}'
     )`;
  const events = { known: ["create", "delete", "create"], unknown: ["create"] };
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  await writePublished(
    join(path, "audit.duckdb"),
    Object.entries(events).flatMap(([id, names]) => [
      ...names.map((name, i) => listMessages(id, name, 2 * i)),
      `insert into policy_snapshots (snapshot_id, source, policy_id, read_at, state, permissions) values ('s', 'east', '${id}', timestamp '2026-11-06 03:00', 'gone', 0)`,
    ]),
  );
  const argv = [
    "report",
    "run",
    "permission_drift",
    "--param",
    "on=2026-11-07",
    "--format",
    "json",
  ];
  const { stdout } = await runCli(["--home", path, ...argv]);
  const rows = JSON.parse(stdout) as Record<string, unknown>[];
  expect(rows.map((row) => [row["policy_id"], row["difference"]])).toEqual([
    ["unknown", "gone without a deletion in the log"],
  ]);
});
