import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Random } from "../../../fixtures/random.ts";

// Reads and writes stored pages by separate rules: from the description of the formats, without the program.

export function sha256(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

type Place = { readonly file: string; readonly start: number; readonly length: number };
type Page = { readonly sha256: string; readonly bytes: number };
export type Manifest = Readonly<Record<string, unknown>> & {
  readonly read_id: string;
  readonly window_start: string | null;
  readonly pages: readonly Page[];
};

/** A read as it is stored in landing. */
export type LandedRead = { readonly path: string; readonly manifest: Manifest };

export function listReads(landing: string): LandedRead[] {
  const names = readdirSync(join(landing, "reads")).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => {
    const path = join(landing, "reads", name);
    return { path, manifest: JSON.parse(readFileSync(path, "utf8")) as Manifest };
  });
}

export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

function pagePath(landing: string, file: string): string {
  return join(landing, "pages", file.slice(0, 2), `${file}.zst`);
}

/** The unpacked pages of a read, in their order. */
export function readPages(
  landing: string,
  { manifest: { read_id: id, pages } }: LandedRead,
): Buffer[] {
  const places = readPlaces(landing, id);
  return pages.map(({ sha256: name }, i) => {
    const place = places[i];
    const packed = readFileSync(pagePath(landing, place?.file ?? name));
    const own = place == null ? packed : packed.subarray(place.start, place.start + place.length);
    return zstdDecompressSync(own);
  });
}

function readPlaces(landing: string, readId: string): (Place | null)[] {
  const path = join(landing, "reads", `${readId}.places`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as (Place | null)[]) : [];
}

/** Puts pages in the place of those of a read, packed apart; the manifest stays unless `names` are to be new. */
export function writePages(
  landing: string,
  read: LandedRead,
  contents: readonly Buffer[],
  level = 3,
): void {
  const { manifest } = read;
  rmSync(join(landing, "reads", `${manifest.read_id}.places`), { force: true });
  contents.forEach((content, i) => {
    const path = pagePath(landing, manifest.pages[i]!.sha256);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, zstdCompressSync(content, { params: { 100: level } }));
  });
}

/** A manifest that names other pages of the same kind. */
export function renamePages(manifest: Manifest, contents: readonly Buffer[]): Manifest {
  const pages = manifest.pages.map((page, i) => ({
    ...page,
    sha256: sha256(contents[i]!),
    bytes: contents[i]!.length,
  }));
  return { ...manifest, pages };
}

/** A text with one value of a record changed, which the reports of the bed show. */
export function changeRecord(page: Buffer, random: Random): Buffer {
  const text = page.toString("utf8");
  const addresses = [...new Set(text.match(/192\.0\.2\.\d+/g))];
  const chosen = random.pick(addresses);
  return Buffer.from(
    text.replaceAll(`"${chosen}"`, '"198.51.100.9"').replaceAll('"denied"', "null"),
  );
}

export const entriesPath = (landing: string): string => join(landing, "log/entries.ndjson");

export function readLines(landing: string): string[] {
  return readFileSync(entriesPath(landing), "utf8").trimEnd().split("\n");
}

export function writeLines(landing: string, lines: readonly string[]): void {
  writeFileSync(entriesPath(landing), lines.map((line) => `${line}\n`).join(""));
}
