import { spawnSync } from "node:child_process";
import { afterEach, beforeEach } from "vitest";
import { newHome, type TestHome } from "./home.ts";
import { programPath } from "./killed.ts";
import { noteOutput } from "./output.ts";

/** How a process ended. */
export type Ended = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** The home of the running test, and commands on it as a shell starts them. */
export type HomeInBash = {
  readonly home: TestHome;
  /** Runs a script, in which "$0" "$@" is the command. */
  readonly bash: (script: string, ...args: string[]) => Ended;
};

/** Prepares a home before each test. */
export function newHomeInBash(): HomeInBash {
  let home: TestHome;
  beforeEach(() => void (home = newHome()));
  afterEach(() => home[Symbol.dispose]());
  return {
    get home() {
      return home;
    },
    bash: (script, ...args) => {
      const all = [process.execPath, programPath, "--home", home.home, ...args];
      const ended = spawnSync("bash", ["-c", script, ...all], { encoding: "utf8" });
      noteOutput(ended.stdout + ended.stderr);
      return ended;
    },
  };
}

/** So many records that differ. */
export const records = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + i,
    event_name: "sign_in",
    id: `a-${i}`,
  }));
