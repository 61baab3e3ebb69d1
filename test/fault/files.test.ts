import { expect, it } from "vitest";
import { arrangements, type FlatRecord } from "../../fixtures/files/arrangements.ts";
import { packings } from "../../fixtures/files/packings.ts";
import { writeParquet } from "../../fixtures/files/parquet.ts";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { homeWithWarehouse, formatLines, type TestHome } from "../support/home.ts";
import { fewOrAll } from "./length.ts";
import { look, withPublished } from "./store.ts";

// The same records in every arrangement and packing give the same store, together and rebuilt.

function makeRecords(random: Random): FlatRecord[] {
  const text = (): string =>
    Array.from({ length: random.int(0, 6) }, () =>
      random.pick([..."a;,|\t\"'é{}[]\n\\", "😀"]),
    ).join("");
  return Array.from({ length: random.int(2, 9) }, (_, i) => ({
    time: 1_767_225_600 + random.int(0, 3),
    event_name: random.pick(["job_kill", "user_sign_in"]),
    user_id: random.int(1, 9),
    // An empty cell of CSV is absent, as an empty text is to the key.
    resource_name: `x${text()}`,
    id: `${i}`,
  }));
}

async function readDigest(home: TestHome): Promise<string> {
  const { digest, complaints } = await withPublished(resolveHome(home.home).published, look);
  expect(complaints).toEqual([]);
  return digest;
}

// Arrangements that one call of import can read together: those that need the same flags.
function listGroups(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, { recordsAt, separator }] of Object.entries(arrangements)) {
    const flags = JSON.stringify([
      ...(recordsAt === undefined ? [] : ["--records-at", recordsAt]),
      ...(separator === undefined ? [] : ["--separator", separator]),
    ]);
    groups.set(flags, [...(groups.get(flags) ?? []), name]);
  }
  return groups;
}

it.each(fewOrAll([1], [1, 2]))(
  "every arrangement and packing of records gives one store (seed %i)",
  async (seed) => {
    const random = newRandom(seed, "files");
    const records = makeRecords(random);
    using plain = await homeWithWarehouse();
    expect(
      (await plain.run(["import", plain.write("plain.ndjson", formatLines(records))])).code,
    ).toBe(0);
    using home = await homeWithWarehouse();
    for (const [flags, names] of listGroups()) {
      const files = names.map((name, i) => {
        const pack = packings[random.pick(Object.keys(packings))]!;
        return home.write(
          `${name.replaceAll(/\W/g, "-")}-${i}`,
          pack(Buffer.from(arrangements[name]!.write(records))),
        );
      });
      const { code, err } = await home.run([
        "import",
        ...(JSON.parse(flags) as string[]),
        ...files,
      ]);
      expect(code, err).toBe(0);
    }
    const parquet = `${home.folder}/records.parquet`;
    await writeParquet(parquet, records);
    expect((await home.run(["import", parquet])).err).toContain("0 new");
    const expected = await readDigest(plain);
    expect(await readDigest(home)).toBe(expected);
    expect((await home.run(["rebuild"])).err).toContain("same as before");
  },
);
