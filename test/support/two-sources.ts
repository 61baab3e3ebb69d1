import { formatLines, homeWithWarehouse, type TestHome } from "./home.ts";

/** The name of the other source; each text of its records has it, and none of the first. */
export const otherMark = "zzother";

function listRecords(mark: string): object[] {
  const by = { user_id: mark === otherMark ? 8_200_002 : 11, user_email: `${mark}@example.com` };
  return [
    { event_name: "job_issue", query: `select * from ${mark}.t`, type: "trino", database_id: 5 },
    { event_name: "table_create", resource_name: `${mark}.table` },
    { event_name: "permission_policy_create", resource_id: 7, resource_name: mark },
    { event_name: `${mark}_unheard_of`, [`${mark}_key`]: mark },
  ].map((record, i) => ({ ...by, ...record, id: `${mark}${i}`, time: 1_767_225_600 + i }));
}

/** A home with a few records of the source `a`, and as many of the other one. */
export async function homeOfTwoSources(): Promise<TestHome> {
  const home = await homeWithWarehouse();
  for (const [source, mark] of [
    ["a", "mine"],
    [otherMark, otherMark],
  ] as const) {
    const file = home.write(`${source}.ndjson`, formatLines(listRecords(mark)));
    const { code, err } = await home.run(["--source", source, "import", file]);
    if (code !== 0) throw new Error(err);
  }
  return home;
}
