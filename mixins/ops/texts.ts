/** A duration in its largest unit, such as `3 h`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Milliseconds as text; a dash for null. */
export const inMilliseconds = (value: number | null): string =>
  value === null ? "–" : `${value >= 10 ? Math.round(value) : value} ms`;

export const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
