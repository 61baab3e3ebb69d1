import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDraft } from "../../base/home/drafts.ts";
import { makeSecureFolder, writeFault } from "../../base/home/durable.ts";
import { appendLines } from "../../base/home/growing-file.ts";
import { isCode } from "../../base/errors.ts";

// Pages lie on disk before a manifest names them. Until its manifest is there, each read notes its page files in a file
// of its own. So what a failed or killed read leaves is found without a look at the pages of years.

/** The folder of the journals, and of files that are not whole yet. */
export const unfinishedFolder = "begun";

/** The files of a read that no manifest names yet. */
export type Journal = {
  /** Notes a file; to be awaited before it gets its name, so that no power cut leaves a file without its note. */
  readonly note: (file: string) => Promise<void>;
  /** The manifest is durable and replaces the journal. */
  readonly end: () => void;
};

/** The journal of a read that begins; a read without a page leaves no file. */
export function newJournal(landing: string, readId: string): Journal {
  const folder = join(landing, unfinishedFolder);
  const path = join(folder, readId);
  let isMade = false;
  const note = async (file: string): Promise<void> => {
    if (!isMade) await makeFolders(folder, landing);
    isMade = true;
    await appendLines(path, [file]);
  };
  return { note, end: () => rmSync(path, { force: true }) };
}

async function makeFolders(folder: string, landing: string): Promise<void> {
  try {
    await makeSecureFolder(folder, landing);
  } catch (error) {
    throw writeFault(folder, error);
  }
}

/** What a read noted that did not come to its manifest, or was killed just after it. */
export type Leftover = { readonly path: string; readonly files: readonly string[] };

/** The journals of reads that broke off; only the holder of the run lock knows that no such read is under way. */
export function listLeftovers(landing: string): Leftover[] {
  const folder = join(landing, unfinishedFolder);
  return listFileNames(folder).map((name) => {
    const path = join(folder, name);
    // A killed read may have left half a line. Its file was not written then, so the line is skipped.
    const files = readFileSync(path, "utf8").match(/^[0-9a-f]{64}(?=\n)/gm) ?? [];
    return { path, files: [...new Set(files)] };
  });
}

function listFileNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !isDraft(name));
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
