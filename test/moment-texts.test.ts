import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// A moment is a number; its forms for the database, people and names are made only in pipeline/base/time. The schema
// of the configuration checks the zones itself.

const byHand = {
  "the T of RFC 3339 for a blank, or back: formatSpaced, toTimestamp, parseSpaced":
    /replace(?:All)?\(\s*(?:"T",\s*" "|" ",\s*"T")\s*\)/,
  "a day cut off a moment: formatDay":
    /toISOString\(\)\s*\.slice\(|slice\(0, (?:10|"\d{4}-\d\d-\d\d"\.length)\)/,
  "a moment without its marks: formatIdStamp, nameStamp": /toISOString\(\)\s*\.replaceAll/,
  "a zone's clock: formatZonedTime, toWallMs, isZone": /Intl\.DateTimeFormat/,
};

it.each(Object.entries(byHand))("only one module makes %s", (_what, pattern) => {
  const files = globSync("{pipeline,schemas}/**/*.ts", {
    cwd: projectPath("."),
    exclude: (path) => /generated|pipeline\/base\/time/.test(path),
  });
  const others = files.filter((file) => file !== "schemas/zone.ts");
  const found = others.filter((file) =>
    pattern.test(readFileSync(projectPath(file), "utf8").replaceAll(/\s*\n\s*/g, "")),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
