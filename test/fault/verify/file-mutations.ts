import { readFileSync, writeFileSync } from "node:fs";
import type { Random } from "../../../fixtures/random.ts";
import type { Export } from "./bed.ts";
import { type Asked, type Change, fitMeta, type Meta, readMeta, writeMeta } from "./asked.ts";

// Changes of a file and its description. Half of the changed files have a forged description that fits.

type Edit = (bytes: Buffer, one: Export, random: Random) => Buffer;

const edits: Readonly<Record<string, Edit>> = {
  "a cell": (bytes, one, random) =>
    one.format === "parquet" ? flip(bytes, random) : editDigit(bytes, random),
  "a row": (bytes, one, random) => {
    const lines = splitLines(bytes);
    if (one.format === "parquet" || lines.length < 3) return flip(bytes, random);
    const at = random.int(1, lines.length - 2);
    return joinLines(
      random.chance(0.5) ? lines.toSpliced(at, 1) : lines.toSpliced(at, 0, lines[at]!),
    );
  },
  order: (bytes, one, random) => {
    const lines = splitLines(bytes);
    const places = lines.flatMap((line, i) =>
      i > 0 && i + 1 < lines.length && line !== lines[i + 1] ? i : [],
    );
    if (one.format === "parquet" || places.length === 0) return flip(bytes, random);
    const at = random.pick(places);
    return joinLines(lines.toSpliced(at, 2, lines[at + 1]!, lines[at]!));
  },
  "a byte order mark": (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  quoting: (bytes, one, random) => {
    const text = bytes.toString("utf8");
    const cell = /(?<=[\n,])[\w:.-]+(?=[,\r])/.exec(text.slice(text.indexOf("\n")));
    if (one.format !== "csv" || cell === null)
      return Buffer.concat([bytes, Buffer.from(random.pick([" ", "\n"]))]);
    return Buffer.from(text.replace(`${cell[0]}`, `"${cell[0]}"`));
  },
};

function editDigit(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString("latin1");
  const start = text.indexOf("\n");
  const places = [...text.matchAll(/\d/g)].map(({ index }) => index).filter((at) => at > start);
  if (places.length === 0) return flip(bytes, random);
  const at = random.pick(places);
  const digit = (Number(text[at]) + random.int(1, 9)) % 10;
  return Buffer.from(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`, "latin1");
}

function flip(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.int(0, copy.length - 1);
  copy[at] = copy[at]! ^ (1 << random.int(0, 7));
  return copy;
}

const splitLines = (bytes: Buffer): string[] => bytes.toString("latin1").split("\n");
const joinLines = (lines: readonly string[]): Buffer => Buffer.from(lines.join("\n"), "latin1");

function editFile({ file }: Export, change: (bytes: Buffer) => Buffer, random: Random): Asked {
  const before = readFileSync(file);
  const after = change(before);
  if (after.equals(before)) throw new Error("the edit changed nothing");
  writeFileSync(file, after);
  if (random.chance(0.5)) fitMeta(file);
  return { file };
}

function editMeta({ file }: Export, change: (meta: Meta) => object): Asked {
  writeMeta(file, change(readMeta(file)));
  return { file };
}

const days = ["2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"];

/** Mutations of exported files and of their descriptions. */
export const fileMutations: readonly Change[] = [
  ...Object.entries(edits).map(([name, edit]): Change => ({
    name,
    apply: (_bed, one, random) => editFile(one, (bytes) => edit(bytes, one, random), random),
  })),
  {
    name: "swapped meta",
    apply: (bed, one, random) => {
      const other = random.pick(bed.exports.filter(({ report }) => report !== one.report));
      writeMeta(one.file, readMeta(other.file));
      if (random.chance(0.6)) fitMeta(one.file);
      return { file: one.file };
    },
  },
  {
    name: "SQL",
    apply: (bed, one, random) => {
      const other = random.pick(bed.exports.filter(({ report }) => report !== one.report));
      const { sql_sha256 } = readMeta(other.file);
      return editMeta(one, (meta) => ({
        ...meta,
        sql_sha256: random.chance(0.8) ? sql_sha256 : "0".repeat(64),
      }));
    },
  },
  {
    name: "parameters",
    apply: (_bed, one, random) =>
      editMeta(one, (meta) => {
        const { since: _since, ...rest } = meta.parameters;
        // A range without the rows of a shown day; one without any loss would describe the same file truly.
        const text = readFileSync(one.file, "utf8");
        const shown = days.filter((day) => text.includes(day.slice(0, "2026-03-02".length)));
        const lost = shown.length === 0 ? "soon" : random.pick(shown);
        const changed = random.pick([
          { ...meta.parameters, since: days[days.indexOf(lost) + 1] ?? "soon" },
          { ...meta.parameters, until: lost },
          { ...meta.parameters, until: "soon" },
          { ...meta.parameters, other: "1" },
          rest,
        ]);
        return { ...meta, parameters: changed };
      }),
  },
  {
    name: "head of the description",
    apply: (_bed, one, random) =>
      editMeta(one, (meta) => {
        const { head } = meta.evidence;
        const at = random.int(0, head.length - 2);
        const other = random.pick([..."0123456789ABCabc"].filter((letter) => letter !== head[at]));
        const edited = `${head.slice(0, at)}${other}${head.slice(at + 1)}`;
        return { ...meta, evidence: { ...meta.evidence, head: edited } };
      }),
  },
];
