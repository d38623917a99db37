import { type ApiError, notFound, refusal } from "../../../core/errors/errors.ts";
import type { PaymentMode } from "../models.ts";

/** The fields that decide the choice of an account. */
export interface Choosable {
  id: string;
  provider: string;
  mode: PaymentMode;
  active: boolean;
}

/** The account a caller requests; null and undefined leave it open. */
export interface AskedAccount {
  provider?: string | null | undefined;
  account_id?: string | null | undefined;
}

/**
 * The account for an attempt (money §11): the requested one, else the only active one, else the only live one of several.
 * @param accounts all of the organisation
 * @throws 404 for an unknown one, 409 payment_account_inactive, payment_no_account, payment_account_ambiguous
 */
export function chosenAccount<A extends Choosable>(accounts: readonly A[], { provider, account_id }: AskedAccount): A {
  const offered = accounts.filter((account) => (provider ?? account.provider) === account.provider);
  if (account_id) {
    const named = offered.find(({ id }) => id === account_id.toLowerCase());
    if (!named) throw notFound();
    if (!named.active) throw refusal("payment_account_inactive");
    return named;
  }
  const active = offered.filter((account) => account.active);
  const live = active.filter(({ mode }) => mode === "live");
  const [only, ...others] = active.length > 1 ? live : active;
  if (only && others.length === 0) return only;
  throw active.length === 0 ? refusal("payment_no_account") : ambiguous();
}

const ambiguous = (): ApiError => refusal("payment_account_ambiguous", undefined, { fields: { account_id: "errors.required" } });
