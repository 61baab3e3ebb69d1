import { BlockList, isIP } from "node:net";
import { listFacts, type Fact } from "./record.ts";
import { distinct, largestId, rowsBy, sort, span, within, type Oracle } from "./rows.ts";

// Addresses and the networks that they lie in, by the platform's own list of blocks.

const mapped = new BlockList();
mapped.addSubnet("::ffff:0:0", 96, "ipv6");

/** Whether an address lies in one of the networks; null for what is no address. */
export function isInside(address: string, networks: string): boolean | null {
  const family = isIP(address);
  if (family === 0) return null;
  const isIpv4 = family === 4 || mapped.check(address, "ipv6");
  const blocks = new BlockList();
  for (const [base = "", length] of networks.split(",").map((each) => each.trim().split("/"))) {
    const type = isIP(base) === 6 ? "ipv6" : "ipv4";
    if (isIpv4 !== (type === "ipv4")) continue;
    if (length === undefined) blocks.addAddress(base, type);
    else blocks.addSubnet(base, Number(length), type);
  }
  return blocks.check(address, family === 6 ? "ipv6" : "ipv4");
}

const isSignIn = (f: Fact): boolean =>
  ["sign_in", "sign_in_reporting", "paas_sign_in"].includes(f.canonical ?? "") &&
  f.outcome === "succeeded";
const hasAddress = (f: Fact): boolean => f.ip !== null && f.ip !== "" && f.ip !== "internal";

const listCounts = (group: readonly Fact[]) => ({
  events: group.length,
  sign_ins: group.filter(isSignIn).length,
  refused: group.filter(({ outcome }) => outcome === "denied" || outcome === "failed").length,
});

const day = (f: Fact): number => Math.floor(f.time / 86_400_000);
const userId = (group: readonly Fact[]) => ({ user_id: largestId(group.map((f) => f.userId)) });

/** Addresses that several actors used, with each of them. */
export const sharedAddresses: Oracle = (records, users, params) => {
  const uses = listFacts(records, users).filter(
    (f) => within(params, f.time) && hasAddress(f) && (f.email ?? f.userId) !== null,
  );
  const networks = params["networks"];
  const rows = [...Map.groupBy(uses, ({ ip }) => ip!)].flatMap(([address, all]) => {
    const actors = distinct(all.map(({ actor }) => actor));
    const isKnown = networks !== undefined && isInside(address, String(networks)) === true;
    if (isKnown || actors < Number(params["least"] ?? 2)) return [];
    return rowsBy(
      all,
      (f) => [f.actor],
      (group) => ({
        ip_address: address,
        actors,
        actor: group[0].actor,
        ...listCounts(group),
        ...span(group.map((f) => f.time)),
        ...userId(group),
      }),
    );
  });
  return sort(rows, "actors ip_address actor");
};

/** Addresses outside of the networks, by actor. */
export const useOutsideNetworks: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listFacts(records, users).filter((f) => within(params, f.time) && hasAddress(f)),
    (f) => [f.actor, f.ip],
    (group) => {
      const address = group[0].ip!;
      const inside = isInside(address, String(params["networks"]));
      if (inside === true) return null;
      return {
        actor: group[0].actor,
        ip_address: address,
        is_address: inside !== null,
        ...listCounts(group),
        days: distinct(group.map(day)),
        ...span(group.map((f) => f.time)),
        ...userId(group),
      };
    },
  );
  return sort(rows, "-events actor ip_address");
};
