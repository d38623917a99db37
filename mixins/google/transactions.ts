import { keepFound } from "../tenancy.ts";

/** Short transactions of an organisation, none of which is open while Google is asked. A job's `run` is one. */
export interface Transactions {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}

/** Those of a request, in its `prepare`. What Google said is kept whatever becomes of the request, and written as the system. */
export const inRequest: Transactions = { read: (work) => work(), write: keepFound };
