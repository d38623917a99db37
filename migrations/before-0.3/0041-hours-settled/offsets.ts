import { Temporal } from "temporal-polyfill";

/** A zone clock's offset from UTC from one instant, included, to another, not included; negative when it is behind. */
export interface OffsetRange {
  readonly from: string;
  readonly until: string;
  readonly seconds: number;
}

/** How far the clock of `zone` is from UTC from `first` through `last`, milliseconds since 1970, by the runtime's zone database. */
export function offsetRanges(zone: string, first: number, last: number): OffsetRange[] {
  const ranges: OffsetRange[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(first).toZonedDateTimeISO(zone);
  while (at.epochMilliseconds <= last) {
    const next = at.getTimeZoneTransition("next");
    const until = next?.toInstant().toString() ?? "infinity";
    ranges.push({ from: at.toInstant().toString(), until, seconds: Math.round(at.offsetNanoseconds / 1e9) });
    if (next === null) break;
    at = next;
  }
  return ranges;
}
