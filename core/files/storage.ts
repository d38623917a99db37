import type { Readable } from "node:stream";
import { refusal } from "../declare/errors.ts";

/** A place where bytes are kept. */
export type Backend = "disk" | "s3";

/** Where one piece of content lies: never in reach of another organisation's key. */
export interface Place {
  organisationId: string;
  /** Id of the content. */
  id: string;
  backend: Backend;
}

/** Bytes in the store that no row refers to yet. Everything in it was measured here, never claimed by a caller. */
export interface StagedUpload extends Place {
  /** Bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/** A piece of content as the store lists it. */
export interface StoredObject {
  id: string;
  changedAt: Date;
}

/** Bytes under keys of organisation and id. The store knows nothing of rows. */
export interface ObjectStore {
  readonly backend: Backend;
  /** Takes a file of this machine over; when it returns, the bytes survive a power cut and the file is gone. */
  put(organisationId: string, id: string, file: string): Promise<void>;
  /** The bytes from their beginning, or null when there are none. */
  open(organisationId: string, id: string): Promise<{ bytes: Readable; size: number } | null>;
  /** Removes the bytes; does nothing where there are none. */
  remove(organisationId: string, id: string): Promise<void>;
  /** Everything of one organisation, a thousand or fewer at a time. */
  list(organisationId: string): AsyncIterable<StoredObject[]>;
}

/** The stores of this process. */
export interface Stores {
  /** Where new bytes go. */
  writing: ObjectStore;
  /** Every store that can be read. */
  all: readonly ObjectStore[];
  /** Folder for files that are still being received or made. */
  spoolFolder: string;
}

let current: Stores | undefined;

/** Tells which stores there are; the start does it. */
export function setStores(stores: Stores): void {
  current = stores;
}

/** @throws Error before the start has set them */
export function stores(): Stores {
  if (!current) throw new Error("the file store is not set up yet");
  return current;
}

/** @throws 404 `errors.storage_backend_unavailable` when this process is not configured for the store (conventions §18) */
export function storeOf(backend: Backend): ObjectStore {
  const found = stores().all.find((store) => store.backend === backend);
  if (!found) throw refusal("not_found", "errors.storage_backend_unavailable");
  return found;
}

/**
 * Opens stored bytes.
 * @throws 404 `errors.file_bytes_missing`, `errors.storage_backend_unavailable`
 */
export async function openStored({ organisationId, id, backend }: Place): Promise<{ bytes: Readable; size: number }> {
  const found = await storeOf(backend).open(organisationId, id);
  if (!found) throw refusal("not_found", "errors.file_bytes_missing");
  return found;
}
