import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";

// The database reads a folder `a=b` as a column of every file below it: no command may behave differently there.

const now = Date.UTC(2026, 2, 3, 12);
const log = Array.from({ length: 12 }, (_, i) =>
  eventAt(now - 40 * hourMs + i * 3 * hourMs, undefined, {
    user_id: 7,
    event_result: i % 3 === 0 ? "Denied" : "Success",
    shade: "red",
  } as object),
);
const imported = [
  { time: now / 1000 - 86_400 * 9, event_name: "job_kill", id: "i-1", user_id: 7 },
  { time: "no time", event_name: "job_kill", id: "i-2" },
];
const users = [{ id: 7, email: "Jo@Example.com", administrator: true }];
const config = {
  activations: {
    denials: {
      activation_actions_table: "denials",
      id_key: "event_key",
      activation_mappings: [
        { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
      ],
      result_connection_name: "none",
      result_connection_settings: { type: "file", folder: "sent" },
    },
  },
  targets: { out: { type: "file", folder: "sent" } },
};
const own = "-- title: own\n-- grain: one row\nselect count(*) as events from events\n";

// In the long form every report.
const few = ["activity_by_day", "denials_list", "permission_changes_list", "late_events"];
const reports = fewOrAll(few, ["--all"]);

const verbs: readonly (readonly string[])[] = [
  ["ingest"],
  ["ingest", "--from", "9d", "--confirm"],
  ["import", "FOLDER/records.ndjson", "--users", "FOLDER/users.json"],
  ["ingest", "--dry-run"],
  ["users", "--format", "csv"],
  ["report", "run", ...reports, "--since", "30d", "--out", "FOLDER/reports"],
  ["report", "run", "mine", "denials_by_actor", "--format", "csv", "--out", "FOLDER/some"],
  ["sql", "select event_name, event_result, user_email, id from events order by event_key"],
  ["export", "denials_list", "--to", "out"],
  ["activate", "denials"],
  ["status", "--json"],
  ["catalog", "coverage", "--format", "json"],
  ["publish"],
  ["rebuild"],
  ["prune", "--before", "90d", "--dry-run"],
  ["doctor", "--deep", "--no-reports"],
  ["schedule", "list"],
];

// What differs from run to run: names of reads and runs, sizes and the time it took.
function likeAny(text: string, home: TestHome): string {
  return text
    .replaceAll(home.folder, "FOLDER")
    .replaceAll(
      /\d{8}T\d{6}Z-[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f-]{27}|127\.0\.0\.1:\d+|\b[0-9a-z]{10,}-[0-9a-z-]+\b/g,
      "ID",
    )
    .replaceAll(/\d+(\.\d+)? (ms|s|KB|MB|GB|bytes)\b/g, "SIZE")
    .replaceAll(/"written_at": "[^"]+"/g, "TIME")
    .replaceAll(/"\w*bytes\w*": \d+|\d+ free/g, "SIZE");
}

async function play(remote: Remote): Promise<string[]> {
  const { home } = remote;
  home.write("auditlake.json", JSON.stringify(config));
  home.write("records.ndjson", imported.map((record) => JSON.stringify(record)).join("\n"));
  home.write("users.json", JSON.stringify(users));
  home.write("queries/mine.sql", own);
  await remote.serve(log, { users });
  const flags = ["--config", join(home.folder, "auditlake.json")];
  const outputs: string[] = [];
  for (const verb of verbs) {
    const argv = verb.map((word) => word.replace("FOLDER", home.folder));
    const { code, out, err } = await home.run([...flags, ...argv], {
      env: { ...remote.env(), AUDITLAKE_QUERIES: join(home.folder, "queries") },
      now: () => remote.clock.nowMs,
    });
    outputs.push(likeAny(`${verb.join(" ")}\n${code}\n${out}${err}`, home));
    remote.clock.nowMs += 1000;
  }
  const held = await home.rows(
    "select * exclude (run_id, first_seen_at) from events order by event_key",
  );
  const reports = write(join(home.folder, "reports")).map((text) => likeAny(text, home));
  return [...outputs, JSON.stringify(held), ...reports];
}

function write(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`);
}

it(
  "a folder named FIELD=VALUE has no effect on any command that runs in it",
  { timeout: 120_000 },
  async () => {
    const records = ["event_result=denied", "user_email=x", "id=5", "time=x", "event_name=y"];
    const ours = ["user_id=z", "filename=x", "json=y", "line=z", "page_number=7", "source=other"];
    const below = ["a=b", ...records, ...ours];
    await using plain = await newRemote(now, newHome());
    await using odd = await newRemote(now, newHome(join(...below)));
    const [wanted, found] = [await play(plain), await play(odd)];
    expect(wanted.some((text) => text.includes('"event_result":"Denied"'))).toBe(true);
    expect(found).toEqual(wanted);
  },
);
