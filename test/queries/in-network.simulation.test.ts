import { DuckDBInstance } from "@duckdb/node-api";
import { isIP } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { refuseNoNetworks } from "../../pipeline/base/report/values.ts";
import { isInside } from "./oracle/networks.ts";

const seed = 45;
const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
beforeAll(async () => {
  await connection.run(readAsset("queries/views/in_network.sql"));
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function inNetwork(address: string | null, networks: string | null): Promise<unknown> {
  const sql = "select in_network($address::varchar, $networks::varchar)";
  const reader = await connection.runAndReadAll(sql, { address, networks });
  return reader.getRows()[0]![0];
}

test.each([
  ["192.0.2.1", "192.0.2.0/24", true],
  ["192.0.3.1", "192.0.2.0/24", false],
  ["192.0.2.1", "10.0.0.0/8, 192.0.2.0/31", true],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "0.0.0.0/0", true],
  ["192.0.2.1", "::/0", false],
  ["::ffff:192.0.2.1", "192.0.2.0/24", true],
  ["2001:DB8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["::1", "0.0.0.0/0", false],
  ["64:ff9b::192.0.2.33", "64:ff9b::c000:200/120", true],
  ["internal", "192.0.2.0/24", null],
  [null, "192.0.2.0/24", null],
  ["192.0.2.1", null, null],
  ["192.0.2.1", "", null],
  ["10.0.0.3, 203.0.113.7", "10.0.0.0/8", null],
  ["192.0.2.01", "192.0.2.0/24", null],
  ["1::2::3", "::/0", null],
  ["1:2:3:4:5:6:7:8::", "::/0", null],
  [":1:2:3:4:5:6:7", "::/0", null],
  ["1:2:3:4:5:6:7", "::/0", null],
  ["fe80::1%eth0", "::/0", null],
  ["192.0.2.1", "10.0.0.0/8, office", null],
  ["192.0.2.1", "office, 192.0.2.0/24", true],
  ["192.0.2.1", "192.0.2.0/33", null],
  ["192.0.2.1", "192.0.2.0/24/24", null],
])("in_network of %s and %s is %s", async (address, networks, expected) => {
  expect(await inNetwork(address, networks)).toBe(expected);
});

// Few bits differ, so that addresses lie near the ends of networks.
const byte = fc.constantFrom(0, 1, 2, 127, 128, 254, 255);
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."));
const group = fc.constantFrom("0", "1", "ff", "7fff", "8000", "FFFF", "db8");
const ipv6 = fc.oneof(
  fc.tuple(group, group, group, group, group, group, group, group).map((all) => all.join(":")),
  fc
    .tuple(fc.array(group, { maxLength: 3 }), fc.array(group, { maxLength: 3 }))
    .map(([first, last]) => `${first.join(":")}::${last.join(":")}`),
  ipv4.map((address) => `::ffff:${address}`),
  ipv4.map((address) => `2001:db8::${address}`),
);
const network = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map((pair) => pair.join("/")),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map((pair) => pair.join("/")),
  ipv4,
  ipv6,
);
// The platform's list takes an IPv4 address written as IPv6 for the IPv4 address, but no network written so.
const mapped = /^(?:0+:)*:?:?(?:0+:)*ffff:/i;
const networks = fc.array(
  network.filter((text) => !mapped.test(text)),
  { minLength: 1, maxLength: 3 },
);

it(`in_network agrees with the platform's own list of blocks, seed ${seed}`, async () => {
  const answers = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(ipv4, ipv6), networks, async (address, list) => {
      const answer = await inNetwork(address, list.join(", "));
      answers.add(answer);
      expect(answer).toBe(isInside(address, list.join(", ")));
    }),
    { seed, numRuns: 400 },
  );
  expect([...answers].toSorted()).toEqual([false, true]);
});

it(`in_network recognizes an address as the platform does, seed ${seed}`, async () => {
  const text = fc.string({ unit: fc.constantFrom(..."01f:::..25g"), maxLength: 18 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, ipv4, ipv6), async (address) => {
      const answer = await inNetwork(address, "0.0.0.0/0, ::/0");
      expect(answer).toBe(isIP(address) === 0 ? null : true);
    }),
    { seed, numRuns: 400 },
  );
});

it("an invalid list of networks is refused", async () => {
  for (const list of ["", "office", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/8,", "fe80::1%a/64"]) {
    expect(() => refuseNoNetworks(list), list).toThrow("is not a network");
    expect(await inNetwork("192.0.2.1", list)).not.toBe(true);
  }
  for (const list of ["10.0.0.0/8", " 10.0.0.0/8 , ::1 ", "2001:db8::/32"]) {
    refuseNoNetworks(list);
    expect(await inNetwork("192.0.2.1", list)).toBe(false);
  }
});
