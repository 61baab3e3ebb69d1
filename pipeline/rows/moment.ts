/** An RFC 3339 time from units of 10^-digits seconds; undefined where no calendar date exists (infinity). */
export function momentText(units: bigint, digits: number): string | undefined {
  const perSecond = perSecondOf[digits]!;
  const rest = ((units % perSecond) + perSecond) % perSecond;
  const date = new Date(Number((units - rest) / perSecond) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const seconds = date.toISOString().slice(0, -".000Z".length);
  if (rest === 0n) return `${seconds}Z`;
  return `${seconds}.${String(rest)
    .padStart(digits, "0")
    .replace(/(?<!0)0+$/, "")}Z`;
}

const perSecondOf = Array.from({ length: 10 }, (_, digits) => 10n ** BigInt(digits));
