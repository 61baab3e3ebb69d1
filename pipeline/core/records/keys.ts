import { Buffer } from "node:buffer";
import { quote } from "./structure.ts";

/** The keys that the catalog knows, for finding one by its bytes; what a walk has seen is kept beside them. */
export type KnownKeys = {
  readonly names: readonly Buffer[];
  readonly slots: ReadonlyMap<string, number>;
  /** Slots by a cheap sum over length, first and last byte. */
  readonly buckets: readonly (readonly number[])[];
  /** By slot + 1, the slot that came after it last time. */
  readonly following: Uint32Array;
  /** By slot, the number of the record that had the key last. */
  readonly seenIn: Float64Array;
};

const bucketCount = 256;

export function newKnownKeys(keys: readonly string[]): KnownKeys {
  const names = keys.map((key) => Buffer.from(key));
  const buckets: number[][] = Array.from({ length: bucketCount }, () => []);
  for (const [slot, name] of names.entries()) buckets[bucketOf(name, 0, name.length)]!.push(slot);
  return {
    names,
    slots: new Map(keys.map((key, slot) => [key, slot])),
    buckets,
    following: new Uint32Array(keys.length + 1),
    seenIn: new Float64Array(keys.length),
  };
}

/**
 * The slot of the key that begins at a position and ends with a quote, where it is the one that followed `previous`
 * last time. Else -1. With a slot, nobody has to look for the end of the key.
 */
export function expectedAt(
  known: KnownKeys,
  bytes: Buffer,
  start: number,
  limit: number,
  previous: number,
): number {
  const guess = known.following[previous + 1]!;
  const name = known.names[guess];
  if (name === undefined) return -1;
  const end = start + name.length;
  return end < limit && bytes[end] === quote && isAt(bytes, start, end, name) ? guess : -1;
}

/**
 * The slot of the key between two positions, or -1. Keys come in much the same order from record to record:
 * `following` says which one is expected next.
 */
export function slotOf(
  known: KnownKeys,
  bytes: Buffer,
  start: number,
  end: number,
  previous: number,
): number {
  const slot = findSlot(known, bytes, start, end);
  if (slot >= 0) known.following[previous + 1] = slot;
  return slot;
}

function findSlot(known: KnownKeys, bytes: Buffer, start: number, end: number): number {
  for (const slot of known.buckets[bucketOf(bytes, start, end)]!)
    if (isAt(bytes, start, end, known.names[slot]!)) return slot;
  const name = keyText(bytes, start, end);
  return name === undefined ? -1 : (known.slots.get(name) ?? -1);
}

/** The key as it is meant, where it is written with escapes; undefined where it has none. */
function keyText(bytes: Buffer, start: number, end: number): string | undefined {
  for (let i = start; i < end; i++) if (bytes[i] === 92) return nameOf(bytes, start, end);
  return undefined;
}

/** The key between two positions as text. */
export function nameOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function bucketOf(bytes: Buffer, start: number, end: number): number {
  if (end <= start) return 0;
  return ((end - start) * 31 + bytes[start]! * 7 + bytes[end - 1]! * 13) % bucketCount;
}

function isAt(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
