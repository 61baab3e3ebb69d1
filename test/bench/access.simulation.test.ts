import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { childEnv } from "../support/child-env.ts";

it("the benchmark of access queries runs all of them", async () => {
  const script = fileURLToPath(new URL("access.ts", import.meta.url));
  const argv = [script, "3", "10", "30"];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env: childEnv({}) });
  for (const name of ["who", "what", "why", "policies", "policy", "history"])
    expect(stdout).toMatch(new RegExp(`^access/${name}, \\d+ rows +[\\d.]+ s$`, "m"));
});
