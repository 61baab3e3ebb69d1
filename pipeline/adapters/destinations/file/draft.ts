import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { makeDraft } from "../../../base/home/drafts.ts";
import {
  makeFolder,
  makeFolders,
  putInPlace,
  syncFile,
  syncFolder,
} from "../../../base/home/durable.ts";
import { AuditlakeError, getMessage } from "../../../base/errors.ts";

/** Temporary files of a delivery, beside their destination; `await using` removes the remaining ones. */
export type Draft = AsyncDisposable & {
  readonly folder: string;
  /** Path of the file of a part on its way, its folder made; `""` is the one of a delivery without parts. */
  readonly path: (part: string) => Promise<string>;
  /** Does something with the files on their way; what fails names the folder, and what to do. */
  readonly guarded: <T>(work: () => Promise<T>) => Promise<T>;
  /** Puts all files in place, each whole; resolves to their paths. */
  readonly commit: () => Promise<readonly string[]>;
};

const parts = /^date=/;

/**
 * A draft of the files `<folder>/<part>/<file>`. A file that was there is replaced. With `isWhole`, files of the name
 * in parts that are not written are removed too, since the delivery has no rows there any more.
 */
export async function newDraft(folder: string, file: string, isWhole: boolean): Promise<Draft> {
  const written = new Map<string, string>();
  const drafts = await guardFolder(folder, async () => {
    await makeFolder(resolve(folder));
    return makeDraft(folder, async (path) => {
      await mkdir(path, { mode: 0o700 });
      return path;
    });
  });
  return {
    folder: drafts,
    guarded: (work) => guardFolder(folder, work),
    path: async (part) => {
      const known = written.get(part);
      if (known !== undefined) return known;
      const path = join(drafts, part, file);
      await guardFolder(folder, () => Promise.resolve(void makeFolders(dirname(path))));
      written.set(part, path);
      return path;
    },
    commit: () =>
      guardFolder(folder, async () => {
        // All of them are on the disk before the first has its name.
        for (const path of written.values()) await syncFile(path);
        const places = [...written.values()].map((path) => join(folder, relative(drafts, path)));
        for (const place of places) {
          makeFolders(dirname(place));
          await putInPlace(join(drafts, relative(folder, place)), place);
        }
        if (isWhole) await removeOthers(folder, file, places);
        await syncFolder(folder);
        return places;
      }),
    [Symbol.asyncDispose]: () => rm(drafts, { recursive: true, force: true }),
  };
}

async function removeOthers(
  folder: string,
  file: string,
  places: readonly string[],
): Promise<void> {
  for (const part of (await readdir(folder)).filter((name) => parts.test(name))) {
    const place = join(folder, part, file);
    if (!places.includes(place)) await rm(place, { force: true });
  }
}

async function guardFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuditlakeError) throw error;
    throw new AuditlakeError(
      `cannot write below ${folder}: ${getMessage(error)}; free space or correct the permissions, then run again`,
    );
  }
}
