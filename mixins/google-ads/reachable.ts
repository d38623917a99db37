import { customerFacts } from "./customer-facts.ts";
import { AdsFailure } from "./failure.ts";
import { type AdsAccess, asCustomer, askAds, searchAds } from "./transport.ts";

/** Maximum number of accounts listed per manager. */
const MOST_CHILDREN = 500;
/** Customers requested in parallel. */
const AT_ONCE = 4;

const CHILDREN =
  `SELECT customer_client.id, customer_client.descriptive_name, customer_client.currency_code, customer_client.time_zone
  FROM customer_client WHERE customer_client.manager = FALSE AND customer_client.status = 'ENABLED'
  ORDER BY customer_client.id LIMIT ${MOST_CHILDREN + 1}`.replace(/\s+/g, " ");

/** An account that a grant reaches, directly or through a manager. */
export interface ReachableAccount {
  /** Digits. */
  customer_id: string;
  /** The id if the account has no name. */
  descriptive_name: string;
  /** The manager account to call through; null if the grant reaches the account directly. */
  login_customer_id: string | null;
  currency_code: string | null;
  time_zone: string | null;
  /** The manager's name; empty without one. */
  hint: string;
}

interface Offered {
  accounts: ReachableAccount[];
  isCapped: boolean;
}
const NOTHING: Offered = { accounts: [], isCapped: false };

interface ChildRow {
  customerClient?: { id?: string; descriptiveName?: string; currencyCode?: string; timeZone?: string };
}

/** The accounts below a manager, at any depth. */
async function childrenOf(access: AdsAccess, managerName: string): Promise<Offered> {
  const rows = await searchAds<ChildRow>(access, CHILDREN, { operation: "customer_client.list" });
  const children = rows.flatMap(({ customerClient: child }) => (child?.id === undefined ? [] : [{ ...child, id: child.id }]));
  return {
    isCapped: children.length > MOST_CHILDREN,
    accounts: children.slice(0, MOST_CHILDREN).map((child) => ({
      customer_id: child.id,
      descriptive_name: child.descriptiveName || child.id,
      login_customer_id: access.customerId,
      currency_code: child.currencyCode ?? null,
      time_zone: child.timeZone ?? null,
      hint: managerName,
    })),
  };
}

/** The accounts behind one customer of the grant: the customer itself, or for a manager, with one query, those it manages (trap S22). */
async function offeredBy(access: AdsAccess, customerId: string): Promise<Offered> {
  const own = asCustomer(access, customerId, customerId);
  const facts = await customerFacts(own, "customer.get");
  if (!facts) return NOTHING;
  const name = facts.descriptive_name || customerId;
  if (facts.is_manager) return childrenOf(own, name);
  const { currency_code, time_zone } = facts;
  const account = {
    customer_id: customerId,
    descriptive_name: name,
    login_customer_id: null,
    currency_code,
    time_zone,
    hint: "",
  };
  return { accounts: [account], isCapped: false };
}

/** Errors of a single customer: a closed or suspended account must not hide the others. */
const isOfCustomer = (error: unknown): boolean =>
  error instanceof AdsFailure && ["ads_platform_permission", "ads_platform_request"].includes(error.code);

/**
 * The accounts that a grant reaches, sorted by name and id. Managers are expanded and not listed themselves; an account that is reached
 * directly needs no manager (marketing-ads §3.2).
 * @returns `isCapped` if a manager has more than 500 accounts
 * @throws AdsFailure
 */
export async function reachableAccounts(access: AdsAccess): Promise<Offered> {
  const body = await askAds(access, { path: "/customers:listAccessibleCustomers", operation: "customers.list" });
  const names = Array.isArray(body["resourceNames"]) ? body["resourceNames"] : [];
  const ids = names.flatMap((name) => (typeof name === "string" ? [name.replace(/\D/g, "")] : []));
  const byId = new Map<string, ReachableAccount>();
  let isCapped = false;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const offers = ids.slice(at, at + AT_ONCE).map((id) =>
      offeredBy(access, id).catch((error: unknown): Offered => {
        if (isOfCustomer(error)) return NOTHING;
        throw error;
      }),
    );
    for (const offered of await Promise.all(offers)) {
      isCapped ||= offered.isCapped;
      for (const one of offered.accounts)
        if (!byId.has(one.customer_id) || one.login_customer_id === null) byId.set(one.customer_id, one);
    }
  }
  const inOrder = new Intl.Collator("en", { sensitivity: "base", numeric: true }).compare;
  const accounts = [...byId.values()].toSorted(
    (a, b) => inOrder(a.descriptive_name, b.descriptive_name) || inOrder(a.customer_id, b.customer_id),
  );
  return { accounts, isCapped };
}
