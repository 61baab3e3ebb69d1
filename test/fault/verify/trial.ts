import { newRandom, type Random } from "../../../fixtures/random.ts";
import type { Asked, Change } from "./asked.ts";
import type { Bed } from "./bed.ts";
import { fileMutations } from "./file-mutations.ts";
import { harmlessChanges } from "./harmless.ts";
import { homeMutations } from "./home-mutations.ts";

/** Whether the changes are mutations, of which none is proven, or harmless, so that all are. */
export type Kind = "mutations" | "harmless";

const changes: Readonly<Record<Kind, readonly Change[]>> = {
  mutations: [...fileMutations, ...homeMutations],
  harmless: harmlessChanges,
};

// Seeds take the changes in turn.
function chooseChange(kind: Kind, seed: number): Change {
  const all = changes[kind];
  return all[seed % all.length]!;
}

/** Verifies an export after a change for each seed; resolves to what is wrong, a line each. */
export async function verifyChanged(
  kind: Kind,
  seeds: readonly number[],
  bed: Bed,
  report: (line: string) => void,
): Promise<{ complaints: string[]; results: Map<string, number> }> {
  const complaints: string[] = [];
  const results = new Map<string, number>();
  for (const seed of seeds) {
    const random = newRandom(seed, kind);
    const change = chooseChange(kind, seed);
    const { complaint, result } = await tryOne(bed, change, kind, random);
    results.set(result, (results.get(result) ?? 0) + 1);
    if (complaint !== undefined) complaints.push(`seed ${seed}: ${change.name}: ${complaint}`);
    report(`seed ${seed}: ${change.name}: ${result}`);
  }
  return { complaints, results };
}

async function tryOne(
  original: Bed,
  change: Change,
  kind: Kind,
  random: Random,
): Promise<{ readonly complaint: string | undefined; readonly result: string }> {
  using bed = original.copy();
  const zone = process.env["TZ"];
  try {
    const one = random.pick(bed.exports);
    const asked = await change.apply(bed, one, random);
    process.env["TZ"] = random.pick(["UTC", "Asia/Kolkata", "America/St_Johns"]);
    const { code, out, err } = await verify(bed, asked);
    const [first = ""] = out.split("\n");
    const result = first === "" ? err.trim() : first.replace(/:.*/, "");
    const isProven = code === 0 || result === "proven";
    const isExpected =
      kind === "harmless" ? isProven && code === 0 : !isProven && (code === 3 || code === 1);
    const complaint = isExpected
      ? undefined
      : `${one.report}.${one.format}: ${code} ${first} ${err}`;
    return { complaint, result: code === 1 ? "could not be checked" : result };
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
}

function verify(bed: Bed, { file, flags = [] }: Asked): ReturnType<Bed["run"]> {
  const head = flags.includes("--head") ? [] : ["--head", bed.outsideHead];
  return bed.run(["verify", file, ...head, ...flags]);
}
