import type { Manifest } from "../landing/manifests.ts";
import { readPage } from "../landing/store.ts";
import type { PageBytes } from "./batch.ts";

// A page that was just landed is in memory: it need not be read back, unpacked and hashed again to be loaded.

/** Pages of reads that wait for the load, in memory as far as there is room. */
export type HeldPages = {
  /** Holds the next page of a read; without room for it, this one and those after it are read from the disk later. */
  readonly add: (readId: string, page: Buffer) => void;
  /** Gives up what is held of a read. */
  readonly drop: (readId: string) => void;
  /** The pages of a landed read, one after the other; what is held of it is given up. */
  readonly pagesOf: (landing: string, manifest: Manifest) => AsyncGenerator<PageBytes>;
};

type Held = { readonly pages: Buffer[]; bytes: number; isShortened: boolean };

const maxBytes = 64 * 1024 * 1024;

/** Begins with none; `roomBytes` is how many bytes of pages may be held at once. */
export function newHeldPages(roomBytes = maxBytes): HeldPages {
  const held = new Map<string, Held>();
  let left = roomBytes;
  const take = (readId: string): readonly Buffer[] => {
    const { pages, bytes } = held.get(readId) ?? { pages: [], bytes: 0 };
    held.delete(readId);
    left += bytes;
    return pages;
  };
  return {
    add: (readId, page) => {
      const one = held.get(readId) ?? { pages: [], bytes: 0, isShortened: false };
      held.set(readId, one);
      one.isShortened ||= page.length > left;
      if (one.isShortened) return;
      one.pages.push(page);
      one.bytes += page.length;
      left -= page.length;
    },
    drop: (readId) => void take(readId),
    async *pagesOf(landing, manifest) {
      const pages = take(manifest.read_id);
      for (const [i, page] of manifest.pages.entries())
        yield { page, bytes: pages[i] ?? (await readPage(landing, page)) };
    },
  };
}
