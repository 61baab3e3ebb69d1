/**
 * What both resolve to, asked at once on connections of their own. Settles when both have ended, since a connection
 * must not be closed under a statement; rejects with what the first of them that failed says.
 */
export async function bothEnded<A, B>(
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one(), other()]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}
