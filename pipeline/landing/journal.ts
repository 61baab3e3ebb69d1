import { readdirSync, readFileSync, rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { settleFolder, syncFolder, writeFault } from "../durable.ts";
import { isCode } from "../errors.ts";

// A page lies on disk before a manifest names it. Each read notes its pages in a file of its own until its manifest is
// there, so that what failed or killed reads leave is found without a look at all pages of years.

const folderName = "begun";

/** The pages of a read that no manifest names yet. */
export type Journal = {
  /** Notes a page; to be awaited before the page is written, so that no power cut leaves a page without its note. */
  readonly note: (sha256: string) => Promise<void>;
  /** The manifest is on disk: from here on it says what the read has. */
  readonly end: () => void;
};

/** The journal of a read that begins; a read without a page leaves no file. */
export function newJournal(landing: string, readId: string): Journal {
  const folder = join(landing, folderName);
  const path = join(folder, readId);
  let isListed = false;
  const note = async (sha256: string): Promise<void> => {
    try {
      if (!isListed) await settleFolder(folder, landing);
      await appendFile(path, `${sha256}\n`, { mode: 0o600, flush: true });
      if (!isListed) await syncFolder(folder);
      isListed = true;
    } catch (error) {
      throw writeFault(path, error);
    }
  };
  return { note, end: () => rmSync(path, { force: true }) };
}

/** What a read noted that did not come to its manifest, or was killed just after it. */
export type Leftover = { readonly path: string; readonly pages: readonly string[] };

/** The journals of reads that ended in the midst; only the holder of the run lock can tell that they did. */
export function leftovers(landing: string): Leftover[] {
  const folder = join(landing, folderName);
  return namesIn(folder).map((name) => {
    const path = join(folder, name);
    // A killed read may have cut its last line off, and then it has not written that page.
    const pages = readFileSync(path, "utf8").match(/^[0-9a-f]{64}(?=\n)/gm) ?? [];
    return { path, pages: [...new Set(pages)] };
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
