import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";
import { toLoggedEvent } from "../../../../fixtures/record.ts";
import { type Service, type ServiceOptions, startService } from "../../../../fixtures/service.ts";
import { testKey } from "../../../support/key.ts";
import { type Outcome, runCli } from "../run-cli.ts";

const dayMs = 86_400_000;

/** What a test of `doctor` works on: a home of its own, which does not exist yet, and a service where it starts one. */
export type Scene = {
  readonly home: () => string;
  /** A service with one event a day for a week, and the environment that leads to it. */
  readonly start: (options?: Partial<ServiceOptions>) => Promise<Record<string, string>>;
  readonly service: () => Service;
  /** Makes the home one that has read such a service; that is done once for all tests of a file. */
  readonly read: (env: Record<string, string>) => Promise<void>;
  readonly auditlake: (argv: readonly string[], env?: Record<string, string>) => Promise<Outcome>;
};

/** Sets the scene for each test of a file, and clears up after it. */
export function newScene(): Scene {
  let folder: string;
  let service: Service | undefined;
  let made: string | undefined;
  const home = (): string => join(folder, "home");
  const auditlake: Scene["auditlake"] = (argv, env = {}) =>
    runCli(argv, { env: { AUDITLAKE_HOME: home(), ...env } });
  beforeEach(() => void (folder = newFolder()));
  afterEach(async () => {
    await service?.close();
    service = undefined;
    rmSync(folder, { recursive: true });
  });
  afterAll(() => made !== undefined && rmSync(made, { recursive: true }));
  return {
    home,
    auditlake,
    service: () => service!,
    start: async (options = {}) => {
      service = await startService({ ...aWeek(), apiKey: testKey, now: Date.now, ...options });
      return { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: testKey };
    },
    read: async (env) => {
      if (made === undefined) {
        const { code, stderr } = await auditlake(["ingest", "--from", "8d"], env);
        if (code !== 0) throw new Error(stderr);
        made = newFolder();
        cpSync(home(), made, { recursive: true });
      }
      cpSync(made, home(), { recursive: true });
    },
  };
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "auditlake-test-"));
}

function aWeek(): Pick<ServiceOptions, "records" | "users"> {
  const startMs = Date.now() - 7 * dayMs;
  const records = Array.from({ length: 7 }, (_, i) =>
    toLoggedEvent({ time: Math.floor((startMs + i * dayMs) / 1000), event_name: "sign_in" }),
  );
  return { records, users: [{ id: 1, email: "ann@example.com" }] };
}

/** Level and text of each check by its name; several of a name are joined. */
export function checks({ stdout }: Outcome): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of stdout.trimEnd().split("\n")) {
    const [, level, check, text] = /^(ok|warn|fail) +(\w+) +(.+)$/.exec(line)!;
    found[check!] = `${found[check!] ? `${found[check!]} / ` : ""}${level} ${text}`;
  }
  return found;
}
