import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { getAssetPath } from "../../pipeline/base/home/assets.ts";
import { findReports } from "../../pipeline/base/report/find.ts";
import { tryCases } from "../../pipeline/core/detection-cases/try-cases.ts";
import { testWorld } from "../support/world.ts";

const detections = findReports().reports.filter(({ detection }) => detection !== undefined);

test.each(detections.map((report) => [report.name, report] as const))(
  "%s raises the findings that its cases expect, and nothing else",
  async (_, report) => {
    const path = getAssetPath(report.file.replace(/\.sql$/, ".test.json"));
    expect(existsSync(path), `cases beside ${report.file}`).toBe(true);
    const results = await tryCases(report, path, testWorld());
    for (const { title, found, expected } of results) expect(found, title).toEqual(expected);
    expect(results.some(({ expected }) => expected.length > 0)).toBe(true);
    expect(results.some(({ expected }) => expected.length === 0)).toBe(true);
  },
);
