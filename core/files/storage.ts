import type { Readable } from "node:stream";
import { refusal } from "../errors/errors.ts";
import type { Backend, ContentLocation } from "../request/context.ts";

/** A content in a listing of the store. */
export interface StoredObject {
  id: string;
  changedAt: Date;
}

/** A store of bytes under keys of organisation and id. It knows nothing of rows. */
export interface ObjectStore {
  readonly backend: Backend;
  /** Takes over a local file; on return, the bytes survive a power failure and the local file is gone. */
  put(organisationId: string, id: string, file: string): Promise<void>;
  /** The bytes, or null if there are none. */
  open(organisationId: string, id: string): Promise<{ bytes: Readable; size: number } | null>;
  /** Removes the bytes, if there are any. */
  remove(organisationId: string, id: string): Promise<void>;
  /** All contents of one organisation, in batches of at most a thousand. */
  list(organisationId: string): AsyncIterable<StoredObject[]>;
}

/** The stores of this process. */
export interface Stores {
  /** The store for new bytes. */
  writing: ObjectStore;
  /** Every readable store. */
  all: readonly ObjectStore[];
  /** Folder for files that are being received or generated. */
  spoolFolder: string;
}

let current: Stores | undefined;

/** Sets the stores, at the start of the process. */
export function setStores(stores: Stores): void {
  current = stores;
}

/** @throws Error before the start has set them */
export function stores(): Stores {
  if (!current) throw new Error("the file store is not set up yet");
  return current;
}

/** @throws 404 `errors.storage_backend_unavailable` if this process is not configured for the store (conventions §18) */
export function storeOf(backend: Backend): ObjectStore {
  const found = stores().all.find((store) => store.backend === backend);
  if (!found) throw refusal("not_found", "errors.storage_backend_unavailable");
  return found;
}

/**
 * Opens stored bytes.
 * @throws 404 `errors.file_bytes_missing`, `errors.storage_backend_unavailable`
 */
export async function openStored({ organisationId, id, backend }: ContentLocation): Promise<{ bytes: Readable; size: number }> {
  const found = await storeOf(backend).open(organisationId, id);
  if (!found) throw refusal("not_found", "errors.file_bytes_missing");
  return found;
}
