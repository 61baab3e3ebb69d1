/**
 * Works on items, at most `count` at a time, in their order. What the first of them throws is thrown once those under way
 * have ended; no further one is begun then.
 */
export async function sideBySide<T>(
  items: AsyncIterator<T> | Iterator<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const faults: unknown[] = [];
  const take = async (): Promise<void> => {
    while (faults.length === 0) {
      const next = await items.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  const run = (): Promise<void> => take().catch((error: unknown) => void faults.push(error));
  await Promise.all(Array.from({ length: count }, run));
  if (faults.length > 0) throw faults[0];
}
