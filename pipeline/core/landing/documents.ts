import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";
import { writeDurably } from "../../base/home/durable.ts";

const compress = promisify(zstdCompress);
const packedEnd = ".json.zst";
// Those of before 2026-11-24 lie there as text.
const ends = [packedEnd, ".json"];

/** A landed document: what it is called, without its ending, and where it lies. */
export type LandedDocument = { readonly name: string; readonly path: string };

/** Writes a JSON text durably, packed: lists that come every night are much alike, and stay. */
export async function landDocument(folder: string, name: string, text: string): Promise<void> {
  await writeDurably(join(folder, `${name}${packedEnd}`), await compress(Buffer.from(text)));
}

/** The documents of a folder by their names in order; none where there is no such folder. */
export function listDocuments(folder: string): LandedDocument[] {
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  return files.flatMap((file) => {
    const end = ends.find((one) => file.endsWith(one));
    return end === undefined
      ? []
      : [{ name: file.slice(0, -end.length), path: join(folder, file) }];
  });
}

/** What a document holds as JSON; throws where it cannot be read, unpacked or parsed. */
export function readDocument({ path }: LandedDocument): unknown {
  const bytes = readFileSync(path);
  const text = path.endsWith(packedEnd) ? zstdDecompressSync(bytes) : bytes;
  return JSON.parse(text.toString("utf8"));
}
