import { expect, it } from "vitest";
import { homeWithWarehouse } from "../../support/home.ts";

const event = { time: 1_767_225_600, event_name: "job_kill" };

it.each([
  ["none", [event], "1 record, 1 new, 0 duplicates, in "],
  [
    "some",
    [event, "{"],
    "2 records, 1 new, 0 duplicates, 1 quarantined (see auditlake status), in ",
  ],
])(
  "tells of a file what came of its records, where %s are quarantined",
  async (_, records, told) => {
    using home = await homeWithWarehouse();
    const { code, err } = await home.load(records);
    expect(code, err).toBe(0);
    expect(err).toContain(`records-1.ndjson: ${told}`);
  },
);
