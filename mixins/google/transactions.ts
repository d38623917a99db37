import { storeAsSystem } from "../tenancy.ts";

/** Short transactions of an organisation; none is open during a call to Google. A job's `run` is one. */
export interface Transactions {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}

/** The transactions of a request's `prepare`. What it writes stays even if the request fails, and is written as the system. */
export const inRequest: Transactions = { read: (work) => work(), write: storeAsSystem };
