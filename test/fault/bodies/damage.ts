import { newRandom, type Random } from "../../../fixtures/random.ts";

const spiteful = [
  ...'{}[]",:\\\n\r\t \u0000\u001e\u001f0-.eEntfu<é',
  "\\u00",
  "\\ud800",
  "},{",
  "NaN",
  "\ufeff",
];

/** Bytes with a few of them flipped, taken out, put in or said twice; the same for the same seed. */
export function damaged(bytes: Buffer, seed: number): Buffer {
  const random = newRandom(seed, "damage");
  let result = bytes;
  for (let i = random.int(1, 3); i > 0; i--) result = damageOnce(result, random);
  return result;
}

function damageOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.int(0, Math.max(0, bytes.length - 1));
  const length = random.chance(0.8) ? random.int(1, 4) : random.int(1, bytes.length);
  const [before, rest] = [bytes.subarray(0, at), bytes.subarray(at)];
  const kind = random.pick(["flip", "delete", "insert", "insert", "replace", "repeat", "cut"]);
  if (kind === "cut") return before;
  if (kind === "delete") return Buffer.concat([before, rest.subarray(length)]);
  if (kind === "repeat") return Buffer.concat([before, rest.subarray(0, length), rest]);
  if (kind === "insert") return Buffer.concat([before, Buffer.from(random.pick(spiteful)), rest]);
  if (kind === "replace")
    return Buffer.concat([before, Buffer.from(random.pick(spiteful)), rest.subarray(1)]);
  const flipped = Buffer.from(bytes);
  if (flipped.length > 0) flipped[at]! ^= 1 << random.int(0, 7);
  return flipped;
}
