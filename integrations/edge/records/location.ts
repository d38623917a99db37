import type { RecordData } from "./zone-file.ts";

/** Default metres: the size, and the horizontal and vertical precision (RFC 1876 §3). */
const [SIZE, ACROSS, UP] = [1, 10_000, 10];
const [LOWEST, HIGHEST] = [-100_000, 42_849_672.95];
const MOST_METRES = 90_000_000;

const number = (text: string | undefined, pattern: RegExp, least: number, most: number): number | null => {
  const value = text !== undefined && pattern.test(text) ? Number(text.replace(/m$/i, "")) : Number.NaN;
  return value >= least && value <= most ? value : null;
};
const WHOLE = /^\d{1,3}$/;
const SECONDS = /^\d{1,2}(?:\.\d{1,3})?$/;
const METRES = /^-?\d{1,8}(?:\.\d{1,2})?m?$/i;

/** Reads degrees, minutes and seconds up to their direction and removes them from the front; null if invalid. */
function angleIn(fields: string[], directions: readonly string[], most: number) {
  const at = fields.findIndex((field) => directions.includes(field.toUpperCase()));
  if (at < 1 || at > 3) return null;
  const [degrees, minutes = "0", seconds = "0"] = fields.slice(0, at);
  const direction = (fields[at] as string).toUpperCase();
  fields.splice(0, at + 1);
  const read = [number(degrees, WHOLE, 0, most), number(minutes, WHOLE, 0, 59), number(seconds, SECONDS, 0, 59.999)] as const;
  return read.includes(null) ? null : { degrees: read[0], minutes: read[1], seconds: read[2], direction };
}

/**
 * A location in zone-file form: `52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m` (RFC 1876 §3). Minutes, seconds and the sizes after
 * the altitude are optional.
 * @returns null if invalid
 */
export function locationIn(values: readonly string[]): RecordData | null {
  const fields = [...values];
  const latitude = angleIn(fields, ["N", "S"], 90);
  const longitude = latitude && angleIn(fields, ["E", "W"], 180);
  if (!latitude || !longitude || fields.length < 1 || fields.length > 4) return null;
  const [altitude, size = `${SIZE}`, across = `${ACROSS}`, up = `${UP}`] = fields;
  const metres = {
    altitude: number(altitude, METRES, LOWEST, HIGHEST),
    size: number(size, METRES, 0, MOST_METRES),
    precision_horz: number(across, METRES, 0, MOST_METRES),
    precision_vert: number(up, METRES, 0, MOST_METRES),
  };
  if (Object.values(metres).includes(null)) return null;
  return {
    lat_degrees: latitude.degrees,
    lat_minutes: latitude.minutes,
    lat_seconds: latitude.seconds,
    lat_direction: latitude.direction,
    long_degrees: longitude.degrees,
    long_minutes: longitude.minutes,
    long_seconds: longitude.seconds,
    long_direction: longitude.direction,
    ...metres,
  } as RecordData;
}
