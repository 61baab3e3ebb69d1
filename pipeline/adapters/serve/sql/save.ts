import { existsSync } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";
import { UsageError } from "../../../base/errors.ts";
import { parseHeader } from "../../../base/report/header.ts";
import { replaceFile } from "../../../answers/report/write.ts";
import type { Site } from "../site.ts";

const namePattern = /^[a-z][a-z0-9_]{0,60}$/;

/** What a person fills in to make a report of a statement. */
type Draft = {
  readonly name: string;
  readonly title: string;
  readonly grain: string;
  readonly sql: string;
};

// Two at once of the same name would both find it free.
const oneAtATime = pLimit(1);

/** Saves a statement as a report of the user's own folder; throws UsageError where it cannot be one. */
export async function saveReport(site: Site, draft: Draft): Promise<string> {
  return oneAtATime(() => storeReport(site, draft));
}

async function storeReport(site: Site, draft: Draft): Promise<string> {
  const { name, sql } = draft;
  if (site.queriesFolder === undefined)
    throw new UsageError("no folder of reports is configured; start serve with --queries DIR");
  if (sql.trim() === "") throw new UsageError("there is no statement to save");
  if (!namePattern.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a report; expected lower case letters, digits and underscores`,
    );
  const path = join(site.queriesFolder, `${name}.sql`);
  if (existsSync(path) || site.found().reports.some((report) => report.name === name))
    throw new UsageError(`a report ${name} exists already; choose another name`);
  const joinLines = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const text = `-- title: ${joinLines(draft.title)}\n-- grain: ${joinLines(draft.grain)}\n${sql.trim()}\n`;
  parseHeader(text, path);
  await replaceFile(path, ({ sink }) => sink(text));
  return path;
}
