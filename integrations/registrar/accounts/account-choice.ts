import { notFound, refusal } from "../../../core/errors/errors.ts";

/** The fields needed to choose an account. */
export interface Choosable {
  id: string;
  active: boolean;
}

/**
 * The account to ask about a domain (assets §10.6): the named one, else the holder of the domain, else the only active one.
 * @param accounts all accounts of the organisation
 * @param asked id of the named account, if any
 * @param holder id of the account whose register contains the domain, if any
 * @throws 404 for an unknown account, 409 registrar_account_inactive, registrar_no_account, registrar_account_ambiguous
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
