import type { Paging } from "../../../../schemas/config.ts";
import { linkTo } from "../link.ts";
import type { Asker } from "./asking.ts";
import { findCursor } from "./cursors.ts";
import type { Ground } from "./ground.ts";
import { isAddress, leadsOf, type Lead } from "./leaves.ts";
import { nextKey } from "./parameter-names.ts";
import { findPosition } from "./positions.ts";

const mostAddresses = 3;
const mostUnnamed = 2;

/** Ways to go from page to page that answers speak for, the plainest first; each is still to be tried. */
export async function* waysOf(
  asker: Asker,
  ground: Ground,
  earlier: unknown,
  inForce: Paging,
): AsyncGenerator<Partial<Paging>> {
  const { headers, envelope, url } = ground.first;
  if (linkTo("next", headers["link"]) !== undefined) yield { style: "link_header" };
  const leads = leadsOf(envelope, earlier);
  const addresses = leads.filter(({ value }) => isAddress(value) && !isItself(value, url));
  for (const { path } of addresses.slice(0, mostAddresses))
    yield { style: "next_url", next_at: path };
  const texts = leads.filter(({ value }) => !isAddress(value));
  yield* cursors(asker, ground, texts.filter(isNamedNext), inForce);
  const position = await findPosition(asker, ground, inForce);
  if (position !== undefined) yield position;
  const rest = texts.filter((lead) => !isNamedNext(lead)).slice(0, mostUnnamed);
  yield* cursors(asker, ground, rest, inForce);
}

async function* cursors(
  asker: Asker,
  ground: Ground,
  leads: readonly Lead[],
  inForce: Paging,
): AsyncGenerator<Partial<Paging>> {
  for (const lead of leads) {
    const found = await findCursor(asker, ground, lead, inForce);
    if (found !== undefined) yield found;
  }
}

// A number may be that of a page, which leads on by itself.
function isNamedNext({ path, value }: Lead): boolean {
  return nextKey.test(path) && !/^\d{1,6}$/.test(value);
}

function isItself(address: string, url: string): boolean {
  return URL.parse(address, url)?.href === url;
}
