import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCalendar, writeSystemd } from "../../../../pipeline/outgoing/schedule/install.ts";
import { jobs, nastyPath } from "./words.ts";

const call = { words: ["/opt/node", "/srv/it's/auditlake"], folder: "/srv/audit" };

test("each job with a time has a service and a timer, and one unit reports failures", () => {
  const text = writeSystemd(jobs, call, "audit");
  expect(text.match(/^# \/.*$/gm)).toEqual([
    "# /etc/systemd/system/auditlake-nightly.service",
    "# /etc/systemd/system/auditlake-nightly.timer",
    "# /etc/systemd/system/auditlake-weekly.service",
    "# /etc/systemd/system/auditlake-weekly.timer",
    "# /etc/systemd/system/auditlake-failed@.service",
  ]);
  expect(text.match(/^User=.*$/gm)).toEqual(["User=audit", "User=audit", "User=audit"]);
  expect(text.match(/^OnFailure=.*$/gm)).toEqual([
    "OnFailure=auditlake-failed@nightly.service",
    "OnFailure=auditlake-failed@weekly.service",
  ]);
  expect(text).toContain("OnCalendar=*-*-* 02:15:00 Europe/Oslo");
  expect(text).toContain("OnCalendar=Mon *-*-* 00:00:00 UTC");
});

/** Words of an ExecStart as systemd.syntax(7) reads them, specifiers and quotes resolved. */
function listWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (character === quote) quote = "";
    else if (character === "\\") word = (word ?? "") + line[(i += 1)]!;
    else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === "" && character === " ") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  expect(quote).toBe("");
  return [...words, ...(word === undefined ? [] : [word])].map(specify);
}

function specify(text: string): string {
  return text.replaceAll(/%(.)/g, (_, letter: string) => ({ "%": "%", i: "nightly" })[letter]!);
}

function buildSettings(text: string, unit: string, key: string): string {
  const part = text.split(/^# \/etc\/systemd\/system\//m).find((each) => each.startsWith(unit))!;
  return new RegExp(`^${key}=(.*)$`, "m").exec(part)![1]!;
}

test("units call their command, with any characters in their paths", () => {
  const backslashed = nastyPath.map((path) => path.replaceAll("Z", "\\"));
  fc.assert(
    fc.property(backslashed, backslashed, backslashed, (node, config, folder) => {
      const text = writeSystemd(jobs, { words: [node, "--config", config], folder }, "audit");
      const units = ["auditlake-nightly.service", "auditlake-failed@.service"];
      const [run, failed] = units.map((unit) => listWords(buildSettings(text, unit, "ExecStart")));
      // With the colon in front, dollar signs are literal.
      const own = [`:${node}`, "--config", config, "--quiet", "schedule"];
      expect(run).toEqual([...own, "run", "--scheduled", "nightly"]);
      expect(failed).toEqual([...own, "failed", "nightly"]);
      const place = specify(buildSettings(text, units[0]!, "WorkingDirectory"));
      expect([folder, `${folder}/`]).toContain(place);
      expect(place).not.toMatch(/[\s\\]$/);
    }),
    { seed: 20_261_122, numRuns: 300 },
  );
});

test.each([
  ["*/20 9-11 * jan,jul mon-wed", "Mon,Tue,Wed *-01,07-* 09,10,11:00,20,40:00 UTC"],
  ["* * 1 * *", "*-*-01 *:*:00 UTC"],
])("%s is escaped for systemd", (pattern, calendar) => {
  expect(formatCalendar(pattern, "UTC")).toBe(calendar);
});
