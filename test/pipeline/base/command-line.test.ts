import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { formatCommand, nameCommandsBy } from "../../../pipeline/base/command-line.ts";

afterEach(() => nameCommandsBy(() => ({})));

test("a command in a message has the home and the configuration of this command line", () => {
  expect(formatCommand("publish")).toBe("auditlake publish");
  nameCommandsBy(() => ({ home: "/data/audit", config: "a.json" }));
  expect(formatCommand("lake", "publish", "--full")).toBe(
    "auditlake --home /data/audit --config a.json lake publish --full",
  );
});

test.each(["it's here", "a b", "$HOME", "$&", "-x`id`", 'say "so"', "*", "ünder/a\\b"])(
  "a shell passes the home %j of a command unchanged",
  (home) => {
    nameCommandsBy(() => ({ home }));
    const [, words] = /^auditlake --home (.*) status$/s.exec(formatCommand("status"))!;
    expect(execFileSync("sh", ["-c", `printf %s ${words!}`], { encoding: "utf8" })).toBe(home);
  },
);
