import { notFound, refusal } from "../../../core/errors/errors.ts";

interface Choosable {
  id: string;
  active: boolean;
}

/**
 * The account to use: the named one, else the only active one (assets §6, "Account choice").
 * @param accounts all accounts of the organisation
 * @throws 404, 409 edge_account_inactive, edge_no_account, edge_account_ambiguous
 */
export function chosenAccount<A extends Choosable>(accounts: readonly A[], named: string | null | undefined): A {
  if (named) {
    const found = accounts.find(({ id }) => id === named.toLowerCase());
    if (!found) throw notFound();
    if (!found.active) throw refusal("edge_account_inactive");
    return found;
  }
  const [only, ...others] = accounts.filter(({ active }) => active);
  if (!only) throw refusal("edge_no_account");
  if (others.length > 0) throw refusal("edge_account_ambiguous", undefined, { fields: { account_id: "errors.required" } });
  return only;
}
