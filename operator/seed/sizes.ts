/**
 * Shares a number of rows over organisations by Zipf's law: the second gets half as many as the first, the third a third. Each gets at
 * least one, and together they get all.
 * @returns the rows of each organisation, the most first
 * @throws RangeError without an organisation, or with fewer rows than organisations
 */
export function zipfShares(organisations: number, rows: number): number[] {
  if (organisations < 1 || rows < organisations) throw new RangeError("each organisation needs a row");
  const ranks = Array.from({ length: organisations }, (_, n) => 1 / (n + 1));
  const whole = ranks.reduce((sum, rank) => sum + rank, 0);
  const exact = ranks.map((rank) => (rank / whole) * (rows - organisations));
  const shares = exact.map((share) => 1 + Math.floor(share));
  const left = rows - shares.reduce((sum, share) => sum + share, 0);
  // The largest remainders get what rounding left over.
  const order = exact.map((share, n) => [share - Math.floor(share), n] as const).toSorted(([a, m], [b, n]) => b - a || m - n);
  for (const [, n] of order.slice(0, left)) shares[n] = (shares[n] as number) + 1;
  return shares;
}
