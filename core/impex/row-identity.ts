import { hash } from "node:crypto";
import type { Values } from "../database/write.ts";

const BYTES = 16;

/** Sorts an object's keys, so that the order of a file's columns does not matter. */
const ordered = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;

function digestOf(values: Values): Buffer {
  const digest = hash("sha256", JSON.stringify(values, ordered), "buffer").subarray(0, BYTES);
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  return digest;
}

function asId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * The contents of a file's rows, 16 bytes per row. It detects duplicates, and derives the id of a row without a key from its content, so
 * that a second import finds a namesake's record again (conventions §22).
 */
export class RowContents {
  readonly #digests: Buffer[] = [];
  readonly #seen = new Set<string>();

  /** Adds the next row. @returns false if an earlier row has the same content */
  add(values: Values): boolean {
    const digest = digestOf(values);
    const text = digest.toString("latin1");
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    this.#digests.push(digest);
    return true;
  }

  /** The id derived from the content of the nth added row, from 0. */
  idAt(index: number): string {
    return asId(this.#digests[index] as Buffer);
  }
}
