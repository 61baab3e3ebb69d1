import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDraft, secureFolder, writeFault } from "../home/durable.ts";
import { appendLines } from "../home/growing-file.ts";
import { isCode } from "../errors.ts";

// Pages lie on disk before a manifest names them. Each read notes its files of pages in a file of its own until its
// manifest is there. What failed or killed reads leave is then found without a look at all pages of years.

/** The folder of the journals, and of files that are not whole yet. */
export const begunFolder = "begun";

/** The files of a read that no manifest names yet. */
export type Journal = {
  /** Notes a file; to be awaited before it gets its name, so that no power cut leaves a file without its note. */
  readonly note: (file: string) => Promise<void>;
  /** The manifest is on disk: from here on it says what the read has. */
  readonly end: () => void;
};

/** The journal of a read that begins; a read without a page leaves no file. */
export function newJournal(landing: string, readId: string): Journal {
  const folder = join(landing, begunFolder);
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
    await secureFolder(folder, landing);
  } catch (error) {
    throw writeFault(folder, error);
  }
}

/** What a read noted that did not come to its manifest, or was killed just after it. */
export type Leftover = { readonly path: string; readonly files: readonly string[] };

/** The journals of reads that ended in the midst; only the holder of the run lock can tell that they did. */
export function leftovers(landing: string): Leftover[] {
  const folder = join(landing, begunFolder);
  return namesIn(folder).map((name) => {
    const path = join(folder, name);
    // A killed read may have cut its last line off, and then it has not written that file.
    const files = readFileSync(path, "utf8").match(/^[0-9a-f]{64}(?=\n)/gm) ?? [];
    return { path, files: [...new Set(files)] };
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !isDraft(name));
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
