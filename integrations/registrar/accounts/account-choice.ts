import { notFound, refusal } from "../../../core/declare/errors.ts";

/** What the choice of an account rests on. */
export interface Choosable {
  id: string;
  active: boolean;
}

/**
 * The account a domain is asked about at (assets §10.6): the one that is named, else the one that holds the domain, else the only active one.
 * @param accounts all of the organisation
 * @param asked id of the account that is named, if any
 * @param holder id of the account whose register has the domain, if any
 * @throws 404 for one that is not there, 409 registrar_account_inactive, registrar_no_account, registrar_account_ambiguous
 */
export function chosenAccount<A extends Choosable>(
  accounts: readonly A[],
  asked: string | null | undefined,
  holder: string | undefined,
): A {
  const named = asked?.toLowerCase() ?? holder;
  if (named !== undefined) {
    const account = accounts.find(({ id }) => id === named);
    if (!account) throw notFound();
    if (!account.active) throw refusal("registrar_account_inactive");
    return account;
  }
  const [only, ...others] = accounts.filter(({ active }) => active);
  if (!only) throw refusal("registrar_no_account");
  if (others.length > 0) throw refusal("registrar_account_ambiguous", undefined, { fields: { account_id: "errors.required" } });
  return only;
}
