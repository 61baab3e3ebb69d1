import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { findClosestNames } from "../../base/closest-names.ts";
import { getMessage, UsageError } from "../../base/errors.ts";
import { getAssetPath } from "../../base/home/assets.ts";
import { findReports, type Report } from "../../base/report/find.ts";
import type { PageFile } from "./page-file.ts";
import { hasBlocks, parsePage } from "./parse.ts";

const builtInFolder = "queries/pages";

// The names of pages become file names and addresses.
const safeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The pages there are, and one line for each file that is a broken one. */
export type FoundPages = {
  readonly pages: readonly PageFile[];
  readonly broken: readonly string[];
};

/**
 * Finds the user's own and the built-in pages, by name. An own page replaces the built-in page of its name. Blocks may
 * use the given reports and the reports of the built-in pages.
 */
export function findPages(ownFolder: string | undefined, reports: readonly Report[]): FoundPages {
  const known = [...reports, ...findPageReports()];
  const pages = new Map<string, PageFile>();
  const broken: string[] = [];
  for (const { path, file, isBuiltIn } of listPageFiles(ownFolder))
    try {
      const page = readPage(path, file, isBuiltIn, known);
      if (page === undefined) continue;
      const first = pages.get(page.name);
      if (first !== undefined && !first.isBuiltIn)
        throw new UsageError(
          `${file}: page ${page.name} already exists (${first.file}); rename the file`,
        );
      pages.set(page.name, page);
    } catch (error) {
      broken.push(getMessage(error));
    }
  return { pages: [...pages.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), broken };
}

/** The page of a name. Throws UsageError for a name that is a path, or that no page has, and for a broken file. */
export function findPage(
  name: string,
  ownFolder: string | undefined,
  reports: readonly Report[],
): PageFile {
  if (!safeName.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of a page; expected the name of a file without .md and without its folder`,
    );
  const { pages, broken } = findPages(ownFolder, reports);
  const page = pages.find((each) => each.name === name);
  const own = broken.find((line) => line.includes(`${name}.md:`));
  if (own !== undefined) throw new UsageError(own);
  if (page !== undefined) return page;
  const names = pages.map((each) => each.name);
  const close = findClosestNames(name, names);
  throw new UsageError(
    `no page is called ${JSON.stringify(name)}; ${close.length > 0 ? `did you mean ${close.join(" or ")}?` : `expected ${names.join(", ")}`}`,
  );
}

// Reports that only pages show: they answer no question of an analyst by themselves.
function findPageReports(): readonly Report[] {
  return findReports(undefined, getAssetPath(`${builtInFolder}/reports`)).reports;
}

type Place = { readonly path: string; readonly file: string; readonly isBuiltIn: boolean };

function listPageFiles(ownFolder: string | undefined): Place[] {
  const root = getAssetPath("");
  const builtIn = listMarkdown(getAssetPath(builtInFolder)).map((path) => ({
    path,
    file: relative(root, path),
    isBuiltIn: true,
  }));
  const isFolder = ownFolder !== undefined && statSync(ownFolder, { throwIfNoEntry: false });
  const own = isFolder ? listMarkdown(ownFolder) : [];
  return [...builtIn, ...own.map((path) => ({ path, file: path, isBuiltIn: false }))];
}

function listMarkdown(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !basename(path).startsWith("."))
    .toSorted()
    .map((path) => join(folder, path));
}

function readPage(
  path: string,
  file: string,
  isBuiltIn: boolean,
  reports: readonly Report[],
): PageFile | undefined {
  const text = readFileSync(path, "utf8");
  if (!hasBlocks(text)) return undefined;
  const name = basename(path, ".md");
  if (!safeName.test(name))
    throw new UsageError(
      `${file}: ${JSON.stringify(name)} cannot be the name of a page; expected letters, digits, dots, dashes and underscores, at most 100`,
    );
  return parsePage(text, { name, file, isBuiltIn }, reports);
}
