import { createHash } from "node:crypto";
import type { Values } from "../database/write.ts";

const BYTES = 16;

/** A value with the keys of its objects in one order, so that the order of a file's columns does not matter. */
const ordered = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;

function digestOf(values: Values): Buffer {
  const digest = createHash("sha256").update(JSON.stringify(values, ordered)).digest().subarray(0, BYTES);
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  return digest;
}

function asId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * What the rows of a file hold, 16 bytes a row: which of them repeat an earlier one, and the id that a row without any key has, which follows from
 * its content so that a second import finds the record of a namesake again (conventions §22).
 */
export class RowContents {
  readonly #digests: Buffer[] = [];
  readonly #seen = new Set<string>();

  /** Adds the next row. @returns false when an earlier row holds the same */
  add(values: Values): boolean {
    const digest = digestOf(values);
    const text = digest.toString("latin1");
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    this.#digests.push(digest);
    return true;
  }

  /** The id that follows from the content of the row that was added as the nth, from 0. */
  idAt(index: number): string {
    return asId(this.#digests[index] as Buffer);
  }
}
