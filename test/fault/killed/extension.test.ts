import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  startMarketingCloud,
  type MarketingCloudDestination,
} from "../../../fixtures/destinations/marketing-cloud.ts";
import type { Call } from "../../../fixtures/destinations/destination.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { spawnCommand } from "../../support/killed.ts";
import { fewOrAll } from "../length.ts";

// A process is killed with SIGKILL at each step in turn, and the export is run again. The data extension then holds
// exactly the rows of the report.

const report = `-- title: Events
-- family: test
-- grain: one row per event
select event_key, event_time, event_name from events order by event_key
`;

let home: TestHome;
let expected: unknown[];
beforeEach(async () => {
  home = newHome();
  home.write("queries/events_of_test.sql", report);
  const records = Array.from({ length: 120 }, (_, at) => ({
    time: 1_767_225_600 + at,
    event_name: "job_kill",
    id: `e${at}`,
  }));
  await home.load(records);
  expected = (await home.rows("select event_key from events order by 1")).map(
    (row) => row["event_key"],
  );
});
afterEach(() => home[Symbol.dispose]());

function argvFor(account: MarketingCloudDestination, async: boolean): string[] {
  const crm = {
    type: "marketing_cloud_v2",
    client_id: account.clientId,
    client_secret: account.clientSecret,
    auth_uri: account.url,
    soap_namespace: account.soapNamespace,
    folder_path: "/a/b",
    create_folder_if_not_exists: true,
    de_name: "events",
    create_new_de: true,
    primary_column: "event_key",
    data_operation: "replace",
    async,
    records_per_batch: 100,
  };
  const config = home.write("auditlake.json", JSON.stringify({ targets: { crm } }));
  const queries = ["--queries", `${home.folder}/queries`];
  return ["--config", config, "export", "events_of_test", ...queries, "--to", "crm", "--yes"];
}

/** Whether a call changes something, or waits for a change; a crash at any other call equals one before it. */
function matters({ method, url, body }: Call): boolean {
  const isLookUp = body.includes("RetrieveRequestMsg") || url.pathname.endsWith("/token");
  return (method !== "GET" && !isLookUp) || url.pathname.endsWith("/status");
}

/** Runs the export in a process of its own that is killed when its nth call of weight comes; returns whether it was. */
async function killAt(
  step: number,
  account: MarketingCloudDestination,
  argv: readonly string[],
): Promise<boolean> {
  const child = spawnCommand(["--home", home.home, ...argv]);
  let calls = 0;
  // The call has come whole, so the account acts on it.
  account.fault((call) => {
    if (matters(call) && (calls += 1) === step) child.kill("SIGKILL");
    return undefined;
  });
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  account.fault(undefined);
  return child.signalCode === "SIGKILL";
}

describe.each([
  ["synchronous", false, 1],
  // The steps before the rows are the same.
  ["asynchronous", true, 5],
])("%s replace", (_how, async, first) => {
  it(
    "killed at any step and repeated writes exactly the right rows",
    { timeout: 240_000 },
    async () => {
      let step = first;
      for (let killed = true; killed; step += fewOrAll(4, 1)) {
        await using account = await startMarketingCloud({ pollsNeeded: 1 });
        const argv = argvFor(account, async);
        killed = await killAt(step, account, argv);
        if (killed) {
          const again = await home.run(argv);
          expect({ step, ...again }).toMatchObject({ step, code: 0 });
        }
        account.carryOutAll();
        const arrived = account.arrived("events").map((row) => String(row["event_key"]));
        expect(arrived.toSorted()).toEqual(expected);
        expect(account.folders()).toEqual(["/a", "/a/b"]);
      }
      expect(step).toBeGreaterThan(first + 4);
    },
  );
});
