import type { Entry } from "../../../schemas/policies.ts";
import type { Right } from "./least.ts";

type Order = (a: string, b: string) => number;

const asTheyCome: Order = () => 0;

/**
 * Rights as the entries of a permission set have them (seed 000, Permission set of a policy). There is one for each
 * operation, in the order of their first rights, with its ids in order.
 */
export function entriesOf(rights: readonly Right[], order: Order = asTheyCome): Entry[] {
  const byOperation = Map.groupBy(rights, ({ operation }) => operation);
  return [...byOperation].map(([operation, own]) => {
    const ids = own.flatMap(({ id }) => id ?? []).toSorted(order);
    return { operation, ...(ids.length === 0 ? {} : { ids: ids.join(",") }) };
  });
}
