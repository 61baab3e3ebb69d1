import { isUtf8 } from "node:buffer";
import { PageError } from "../records/error.ts";

// Files that do not contain records directly: their names, and what to do with them.

/** The first four bytes of Parquet, in hexadecimal. */
export const parquetMagic = "50415231";

/** How many bytes of a file show its kind: the mark of tar lies behind its first header. */
export const kindBytes = 512;

type Kind = { readonly name: string; readonly advice: string };

const newPackedKind = (name: string, command: string): Kind => ({
  name,
  advice: `unpack it first (${command}) and import the files inside`,
});
const newConvertibleKind = (name: string): Kind => ({
  name,
  advice: "convert it to Parquet, CSV or newline-delimited JSON first",
});
const newSheetKind = (name: string): Kind => ({
  name,
  advice: "save its sheet as CSV (UTF-8) and import that",
});

const zip = newPackedKind("a zip archive", "unzip FILE");
const marks: readonly (readonly [at: number, mark: string, kind: Kind])[] = [
  [0, "504b0304", zip],
  [0, "504b0506", zip],
  [0, "d0cf11e0a1b11ae1", newSheetKind("an old Excel workbook (xls)")],
  [0, "377abcaf271c", newPackedKind("a 7z archive", "7z x FILE")],
  [0, "526172211a07", newPackedKind("a RAR archive", "unrar x FILE")],
  [257, "7573746172", newPackedKind("a tar archive", "tar xf FILE")],
  [0, "425a68", newPackedKind("bzip2", "bunzip2 FILE")],
  [0, "fd377a585a00", newPackedKind("xz", "unxz FILE")],
  [0, "04224d18", newPackedKind("lz4", "unlz4 FILE")],
  [0, "ff060000734e61507059", newPackedKind("Snappy", "snzip -d FILE")],
  [0, "4152524f5731", newConvertibleKind("Arrow")],
  [0, "ffffffff", newConvertibleKind("an Arrow stream")],
  [0, "4f626a01", newConvertibleKind("Avro")],
  [0, "4f5243", newConvertibleKind("ORC")],
  [0, "53514c69746520666f726d6174203300", newConvertibleKind("an SQLite database")],
  [8, "4455434b", newConvertibleKind("a DuckDB database")],
  [
    0,
    "255044462d",
    { name: "PDF", advice: "export the records as CSV or JSON from its application" },
  ],
];

/** Throws PageError if the first unpacked bytes show a file that cannot be imported. */
export function refuseKind(head: Buffer): void {
  const kind = detectKind(head);
  if (kind !== undefined)
    throw new PageError(
      `the file is ${kind.name}, which auditlake does not support; ${kind.advice}`,
    );
}

function detectKind(head: Buffer): Kind | undefined {
  const marked = marks.find(([at, mark]) => {
    const bytes = Buffer.from(mark, "hex");
    return head.subarray(at, at + bytes.length).equals(bytes);
  });
  if (marked !== undefined) return marked[2] === zip ? zipKind(head) : marked[2];
  if (head.toString("hex", 0, 4) === parquetMagic)
    return { name: "Parquet inside compressed data", advice: "unpack it first" };
  const wide = detectUtf16(head);
  if (wide !== undefined) return wide;
  if (hasControl(head))
    return {
      name: "binary",
      advice: "expected JSON, newline-delimited JSON, CSV or Parquet, plain, gzip or zstd",
    };
  return isLatin(head)
    ? {
        name: "text in Latin-1 or another single-byte encoding",
        advice: "convert it to UTF-8 first: iconv -f LATIN1 -t UTF-8 FILE",
      }
    : undefined;
}

// A workbook is a zip archive whose first entries have known names.
function zipKind(head: Buffer): Kind {
  const text = head.toString("latin1");
  return /\[Content_Types\]\.xml|xl\/|_rels\/|mimetypeapplication\/vnd\.oasis/.test(text)
    ? newSheetKind("a workbook (xlsx)")
    : zip;
}

// By its mark, or by a zero byte beside each of the first letters.
function detectUtf16(head: Buffer): Kind | undefined {
  const newUtf16Kind = (form: string): Kind => ({
    name: "text in UTF-16",
    advice: `convert it to UTF-8 first: iconv -f ${form} -t UTF-8 FILE`,
  });
  const mark = head.toString("hex", 0, 2);
  if (mark === "fffe" || mark === "feff") return newUtf16Kind("UTF-16");
  const [a, b, c, d] = head;
  if (head.length < 4) return undefined;
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return newUtf16Kind("UTF-16LE");
  if (a === 0 && b !== 0 && c === 0 && d !== 0) return newUtf16Kind("UTF-16BE");
  return undefined;
}

// RFC 7464 begins a record with byte 30. A record may well have a stray control character further on, which is for the
// quarantine.
function hasControl(head: Buffer): boolean {
  const first = head.subarray(0, 8);
  return first.some((byte) => byte < 9 || (byte > 13 && byte < 30) || byte === 31);
}

const leastLetters = 2;

// Letters beyond ASCII, and no character of UTF-8 at all: no damage, but another encoding.
function isLatin(head: Buffer): boolean {
  if (isUtf8(head)) return false;
  const text = head.toString("latin1");
  if (/[\xc2-\xf4][\x80-\xbf]|[\x80-\x9f]/.test(text)) return false;
  return (text.match(/[\xa0-\xff]/g)?.length ?? 0) >= leastLetters;
}
