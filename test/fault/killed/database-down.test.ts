import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { countText } from "../../../pipeline/base/terminal/amounts.ts";
import { childEnv } from "../../support/child-env.ts";
import { programPath } from "../../support/killed.ts";
import { watchOutput } from "../../support/output.ts";
import { dayMs, eventAt, newRemote } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";

// The process goes by the real time.
const start = Math.floor(Date.now() / dayMs) * dayMs;
const days = 18;
const getDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const range = ["--from", getDay(start - days * dayMs), "--to", getDay(start), "--no-confirm"];

// To fill a disk takes long: in the long form alone.
it.skipIf(fewOrAll(true, false))(
  "a fatal database error ends the run with its cause",
  { timeout: 120_000 },
  async () => {
    await using remote = await newRemote(Date.now());
    // Incompressible content.
    const text = (): string => randomBytes(50_000).toString("base64");
    const log = Array.from({ length: days * 240 }, (_, i) =>
      eventAt(start - days * dayMs + (i * dayMs) / 240, undefined, { query_text: text() }),
    );
    await remote.serve(log);
    // With less the database may spill, and its temporary file be the first that is too large.
    const config = remote.home.write("auditlake.json", '{"memory_limit":"2GB"}');
    const flags = ["--config", config, "--home", remote.home.home];
    const ingest = [programPath, ...flags, "ingest", ...range];
    // Space for a first checkpoint of the write-ahead log into the database, 128 MB, and not for a second.
    const child = spawn(
      "bash",
      ["-c", 'ulimit -f 165000; exec "$0" "$@"', process.execPath, ...ingest],
      { env: childEnv(remote.env()), stdio: ["ignore", "pipe", "pipe"] },
    );
    watchOutput(child);
    let printed = "";
    for await (const part of child.stderr) printed += String(part);
    if (child.exitCode === null) await once(child, "exit");
    const lines = printed.split("\n").filter((line) => /^(error|warning): /.test(line));
    expect([child.exitCode, lines]).toEqual([
      1,
      [
        expect.stringMatching(
          /^warning: cannot write .*warehouse\.duckdb: file too large; the old/,
        ),
        expect.stringMatching(
          /^error: cannot write .*warehouse\.duckdb: file too large; committed data is safe; free disk space or correct the permissions, then run again$/,
        ),
      ],
    ]);
    const { code, err } = await remote.ingest(range);
    expect([code, err]).toEqual([0, expect.stringContaining(`${countText(log.length)} events in`)]);
    expect(await remote.home.count("select count(distinct id) from events")).toBe(log.length);
    expect(await remote.home.count("select count(*) from events")).toBe(log.length);
  },
);
