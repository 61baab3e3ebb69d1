import { createHash, type Hash } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newDraftPath } from "../../base/home/drafts.ts";
import { asNew, makeFolder, makeFolders, putInPlace, writeFault } from "../../base/home/durable.ts";
import { unfinishedFolder, type Journal } from "./journal.ts";
import {
  type LandedPage,
  landPacked,
  type PackedPage,
  packBytes as packedBytes,
  describePage,
  joinPagePath,
  syncAbove,
} from "./store.ts";

// The pages of a read lie in one file, packed one after the other. To write, sync and name a file for each would take
// longer than to fetch it. A page that is alone has a file of its own.

/** The pages of a read on their way to the disk. */
export type Pack = AsyncDisposable & {
  /** Takes a page; resolves when the next page can be taken. `part` is the range of a read in several parts. */
  readonly add: (bytes: Buffer, format: LandedPage["format"], part?: number) => Promise<LandedPage>;
  /** Resolves to the pages in order when all are durable. An unfinished pack leaves nothing. */
  readonly end: () => Promise<readonly LandedPage[]>;
};

// While one page is written, others are being packed.
const pagesAhead = 3;

type Draft = { readonly path: string; readonly file: FileHandle; readonly hash: Hash; end: number };

/** Begins a pack; `journal` notes its file before that has its name. */
export function newPack(landing: string, journal: Pick<Journal, "note">): Pack {
  const places: { page: LandedPage; start: number; length: number }[] = [];
  const underWay: Promise<void>[] = [];
  let first: PackedPage | undefined;
  let draft: Draft | undefined;
  let last: Promise<void> = Promise.resolve();

  const appendPage = async ({ page, packed }: PackedPage): Promise<void> => {
    if (places.length === 0) first = { page, packed };
    else if (first !== undefined) {
      draft = await newDraft(landing);
      await write(draft, first.packed);
      first = undefined;
    }
    places.push({ page, start: draft?.end ?? 0, length: packed.length });
    if (draft !== undefined) await write(draft, packed);
  };
  const add: Pack["add"] = async (bytes, format, part) => {
    const page = { ...describePage(bytes, format), ...(part === undefined ? {} : { part }) };
    const packing = packedBytes(bytes);
    const written = last.then(async () => appendPage({ page, packed: await packing }));
    // What fails is thrown where the next page is added, or the pack ended.
    for (const one of [packing, written]) one.catch(() => undefined);
    last = written;
    underWay.push(written);
    if (underWay.length > pagesAhead) await underWay.shift();
    return page;
  };
  const finishPack: Pack["end"] = async () => {
    await last;
    if (first !== undefined) {
      const { part, ...page } = first.page;
      const landed = await landPacked(landing, { ...first, page }, journal.note);
      return [part === undefined ? landed : { ...landed, part }];
    }
    if (draft === undefined) return [];
    const file = await nameDraft(landing, draft, journal);
    draft = undefined;
    return places.map(({ page, start, length }) => ({ ...page, place: { file, start, length } }));
  };
  const end: Pack["end"] = () => {
    const ended = finishPack();
    last = ended.then(() => undefined);
    last.catch(() => undefined);
    return ended;
  };
  const dropPack = async (): Promise<void> => {
    await last.catch(() => undefined);
    if (draft === undefined) return;
    await draft.file.close();
    await rm(draft.path, { force: true });
  };
  return { add, end, [Symbol.asyncDispose]: dropPack };
}

async function newDraft(landing: string): Promise<Draft> {
  const folder = join(landing, unfinishedFolder);
  const path = newDraftPath(folder);
  try {
    makeFolders(folder);
    return {
      path,
      file: await open(path, asNew.flag, asNew.mode),
      hash: createHash("sha256"),
      end: 0,
    };
  } catch (error) {
    throw writeFault(path, error);
  }
}

async function write(draft: Draft, packed: Buffer): Promise<void> {
  try {
    await draft.file.writeFile(packed);
  } catch (error) {
    throw writeFault(draft.path, error);
  }
  draft.hash.update(packed);
  draft.end += packed.length;
}

// The name is the digest of the packed bytes, so an existing file, complete or not, can be replaced.
async function nameDraft(
  landing: string,
  { path, file, hash }: Draft,
  { note }: Pick<Journal, "note">,
): Promise<string> {
  const name = hash.digest("hex");
  const to = joinPagePath(landing, name);
  try {
    await file.close();
    await note(name);
    await makeFolder(dirname(to));
    await putInPlace(path, to);
    await syncAbove(to, landing);
  } catch (error) {
    throw writeFault(to, error);
  }
  return name;
}
