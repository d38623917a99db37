import { isNamed, lookup, type Reader, reference } from "../../core/bulk/readers.ts";

const CLIENT = lookup(
  "companies",
  `${isNamed("t.name")} or ${isNamed("t.legal_name")}`,
  (slot) => `t.id in (select selected_companies(${slot}))`,
);

/**
 * A client in the caller's selection, by id, name or legal name.
 * @param then runs with the id of the client found
 */
export const clientReference = (then?: (id: string) => Promise<void>): Reader =>
  reference("the id, name or legal name of a client", () => CLIENT, then);
