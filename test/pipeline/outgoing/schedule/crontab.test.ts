import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { writeCrontab } from "../../../../pipeline/outgoing/schedule/install.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { jobs, nastyPath } from "./words.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("a crontab has a zone for each block, and no job without a time", () => {
  const call = { words: ["/opt/node", "/srv/it's/auditlake"], folder: "/srv/audit" };
  expect(writeCrontab(jobs, call).split("\n").slice(1)).toEqual([
    "CRON_TZ=Europe/Oslo",
    "# nightly",
    String.raw`15 2 * * *  cd /srv/audit && /opt/node '/srv/it'\''s/auditlake' --quiet schedule run --scheduled nightly`,
    "CRON_TZ=UTC",
    "# weekly",
    String.raw`0 0 * * 1  cd /srv/audit && /opt/node '/srv/it'\''s/auditlake' --quiet schedule run --scheduled weekly`,
    "",
  ]);
});

/** What a cron hands to the shell: five fields are cut off, a bare percent sign ends the command, an escaped one does not. */
function getCommand(line: string): string {
  const rest = line.replace(/^(?:\S+[ \t]+){5}/, "");
  const bare = /^(?:[^%\\]|\\[^])*/.exec(rest)![0];
  return bare.replaceAll("\\%", "%");
}

test("a line calls its command, with any characters in its paths", () => {
  const paths = fc.tuple(nastyPath, nastyPath);
  fc.assert(
    fc.property(paths, ([name, config]) => {
      const place = join(folder.path, name.replaceAll("/", "_"));
      mkdirSync(place, { recursive: true });
      const show = 'printf "%s\\n" "$PWD" "$@"';
      const words = ["/bin/sh", "-c", show, "node", "--config", config];
      // A backslash is refused, so what the test itself needs of one is put in afterwards.
      const call = { words: words.map((word) => word.replace("\\n", "@n@")), folder: place };
      const line = writeCrontab(jobs, call).split("\n")[3]!.replaceAll("@n@", "\\n");
      const out = execFileSync("/bin/sh", ["-c", getCommand(line)], {
        encoding: "utf8",
        env: { HOME: "/nowhere", n: "wrong" },
      });
      const job = ["--quiet", "schedule", "run", "--scheduled", "nightly"];
      expect(out.split("\n")).toEqual([place, "--config", config, ...job, ""]);
    }),
    { seed: 20_261_122, numRuns: 60 },
  );
});

test("a path with a backslash is refused, which crons read in different ways", () => {
  const call = { words: ["/opt/node"], folder: "/srv/a\\%b" };
  expect(() => writeCrontab(jobs, call)).toThrow(/backslash, .* use --systemd/);
});
