import { statSync } from "node:fs";
import type { PageBody } from "../records/format.ts";
import type { Home } from "../home/layout.ts";
import { newJournal } from "../landing/journal.ts";
import { type Manifest, manifestVersion, writeManifest } from "../landing/manifests.ts";
import { newPack, type Pack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { pagesLandedBefore } from "./landed-before.ts";

/** A file that begins as earlier ones did: its pages, how to read them once more, and those reads. */
export type Again = {
  readonly all: AsyncGenerator<PageBody>;
  readonly pagesOf: () => AsyncGenerator<PageBody>;
  readonly earlier: readonly Manifest[];
};

/**
 * The manifest of a file that begins as earlier ones did, landed and not loaded yet. It may be one of them: then its
 * pages are not written again, and the load will find that nothing has to be done.
 */
export async function manifestAgain(
  { all, pagesOf, earlier }: Again,
  file: string,
  read: ReadFacts,
  { home, maxRecordBytes }: LandingIn,
): Promise<Manifest> {
  const landAll = async (pages: AsyncIterable<PageBody>): Promise<Manifest> => {
    const landing = newLanding({ home, maxRecordBytes }, read);
    await using pack = landing.pack;
    for await (const { bytes, format } of pages) await pack.add(bytes, format);
    return await landing.describe();
  };
  // A pipe gives its pages but once.
  if (!statSync(file).isFile()) return landAll(all);
  const before = await pagesLandedBefore(all, earlier, home.landing);
  if (before === undefined) return landAll(pagesOf());
  const manifest = manifestOf(read, before, maxRecordBytes);
  await writeManifest(home.landing, manifest);
  return manifest;
}

/** Where files are landed, and how long their records may be. */
export type LandingIn = { readonly home: Home; readonly maxRecordBytes: number };

type Landing = { readonly pack: Pack; readonly describe: () => Promise<Manifest> };

/** Pages of a file on their way to the disk; `describe` ends them, makes the read durable and returns its manifest. */
export function newLanding(
  { home: { landing }, maxRecordBytes }: LandingIn,
  read: ReadFacts,
): Landing {
  const journal = newJournal(landing, read.readId);
  const pack = newPack(landing, journal);
  const describe = async (): Promise<Manifest> => {
    const manifest = manifestOf(read, await pack.end(), maxRecordBytes);
    await writeManifest(landing, manifest);
    journal.end();
    return manifest;
  };
  return { pack, describe };
}

function manifestOf(
  read: ReadFacts,
  pages: readonly LandedPage[],
  maxRecordBytes: number,
): Manifest {
  return {
    version: manifestVersion,
    read_id: read.readId,
    run_id: read.runId,
    command: "import",
    source: read.source,
    window_start: null,
    window_end: null,
    window_ms: read.windowMs,
    read_at: read.seenAt,
    server_time: null,
    closed: false,
    nightly: false,
    records_at: null,
    max_record_bytes: maxRecordBytes,
    pages: [...pages],
  };
}
