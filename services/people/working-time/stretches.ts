/** Minutes of one day from `start` up to but excluding `end`; 0–1440. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Minutes two stretches share; never negative. */
export function sharedMinutes(one: Stretch, other: Stretch): number {
  return Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
}

/** Minutes of disjoint stretches. */
export function totalMinutes(stretches: readonly Stretch[]): number {
  return stretches.reduce((total, { start, end }) => total + end - start, 0);
}

/** The union of stretches: sorted, disjoint, touching ones merged, empty ones dropped. */
export function union(stretches: readonly Stretch[]): Stretch[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.filter((one) => one.end > one.start).sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** The rest of disjoint stretches after removing all cuts, sorted. */
export function subtract(stretches: readonly Stretch[], cuts: readonly Stretch[]): Stretch[] {
  let left = union(stretches);
  for (const cut of cuts) {
    if (cut.end <= cut.start) continue;
    left = left.flatMap(({ start, end }) =>
      [
        { start, end: Math.min(end, cut.start) },
        { start: Math.max(start, cut.end), end },
      ].filter((part) => part.end > part.start),
    );
  }
  return left;
}

/** Whether two sorted disjoint lists cover the same minutes. */
export function sameStretches(one: readonly Stretch[], other: readonly Stretch[]): boolean {
  return (
    one.length === other.length &&
    one.every((stretch, index) => stretch.start === other[index]?.start && stretch.end === other[index]?.end)
  );
}
