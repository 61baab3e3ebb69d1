import { findReports } from "../../../../pipeline/base/report/find.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import type { Outcome } from "../../../support/command.ts";
import { formatLines, homeWithWarehouse, readCopy, type TestHome } from "../../../support/home.ts";

const startS = Date.UTC(2026, 2, 3, 4) / 1000;

/** Denials of one user, one a minute from an hour of the log on. */
export function denials(user: number, fromHour = 0): object[] {
  return Array.from({ length: 25 }, (_, n) => ({
    id: `${user}-${fromHour}-${n}`,
    time: startS + fromHour * 3600 + n * 60,
    event_name: "job_create_unauthorized",
    user_id: user,
  }));
}

/** A reset password of a database owner: a finding of high severity. */
export const reset = {
  id: "reset",
  time: startS,
  event_name: "provisioner_schema_reset_owner_password",
  user_id: 5,
  user_email: "eve@example.com",
  ip_address: "203.0.113.9",
};

/** A home on which detections are evaluated, on 2026-03-04 unless the test sets another time. */
export type FindingsHome = TestHome & {
  /** Runs `findings` and what follows. */
  readonly findings: (argv: readonly string[], world?: Partial<World>) => Promise<Outcome>;
  /** Imports records and evaluates; resolves to the path of the file. */
  readonly import: (records: readonly object[], ...flags: string[]) => Promise<string>;
  /** Ids of findings that are not withdrawn, by subject. */
  readonly ids: () => Promise<Record<string, string>>;
};

/** A new home in whose configuration the detections of some names are enabled, with the content of an original. */
export async function newFindingsHome(
  names: readonly string[] = ["repeated_denials", "owner_password_reset"],
  config: object = {},
  original?: FindingsHome,
): Promise<FindingsHome> {
  const home = original === undefined ? await homeWithWarehouse() : readCopy(original);
  const others = findReports().reports.filter(
    ({ name, detection }) => detection !== undefined && !names.includes(name),
  );
  const detections = Object.fromEntries(others.map(({ name }) => [name, { enabled: false }]));
  const file = home.write("auditlake.json", JSON.stringify({ detections, ...config }));
  const run: TestHome["run"] = (argv, world = {}) =>
    home.run(["--config", file, ...argv], {
      now: () => Date.UTC(2026, 2, 4),
      ...world,
      env: { AUDITLAKE_FINDINGS: "on", ...world.env },
    });
  let files = 0;
  return {
    ...home,
    run,
    findings: (argv, world) => run(["findings", ...argv], world),
    import: async (records, ...flags) => {
      const path = home.write(`read-${(files += 1)}.ndjson`, formatLines(records));
      const { code, err } = await run(["import", path, ...flags]);
      if (code !== 0) throw new Error(err);
      return path;
    },
    ids: async () => {
      const rows = await home.rows(
        "select subject, finding_id from findings where state <> 'withdrawn'",
      );
      return Object.fromEntries(
        rows.map((row) => [String(row["subject"]), String(row["finding_id"])]),
      );
    },
  };
}
