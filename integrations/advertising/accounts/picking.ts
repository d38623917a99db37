import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { request } from "../../../core/request/context.ts";
import { connectionOf } from "../../../mixins/google/connection.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { type AdsAccess, adsAccessOf, asCustomer, askAds, searchAds } from "../../../mixins/google-ads/transport.ts";
import { formattedCustomerId } from "../envelope.ts";
import type { AdsAvailableAccount, AdsPickerRead } from "./account-schemas.ts";
import { customerFacts } from "./customer-facts.ts";

export const CHILDREN_CAPPED = "ads.warning.manager_children_capped";
/** Most accounts that one manager offers. */
const MOST_CHILDREN = 500;
/** Customers that are asked at once. */
const AT_ONCE = 4;

const CHILDREN =
  `SELECT customer_client.id, customer_client.descriptive_name, customer_client.currency_code, customer_client.time_zone
  FROM customer_client WHERE customer_client.manager = FALSE AND customer_client.status = 'ENABLED'
  ORDER BY customer_client.id LIMIT ${MOST_CHILDREN + 1}`.replace(/\s+/g, " ");
const LINKED = statement(
  "select customer_id from ads_accounts where organisation_id = $1 and active and customer_id = any($2::text[])",
);

type Available = Omit<Static<typeof AdsAvailableAccount>, "already_linked" | "customer_id_formatted">;

interface ChildRow {
  customerClient?: { id?: string; descriptiveName?: string; currencyCode?: string; timeZone?: string };
}

interface Offered {
  accounts: Available[];
  isCapped: boolean;
}

/** The accounts that a manager manages, at any depth. */
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

/** What one customer that the grant reaches offers: itself, or what it manages. */
async function offeredBy(access: AdsAccess, customerId: string): Promise<Offered> {
  const facts = await customerFacts(asCustomer(access, customerId, customerId), "customer.get");
  if (!facts) return { accounts: [], isCapped: false };
  if (facts.is_manager) return childrenOf(asCustomer(access, customerId, customerId), facts.descriptive_name || customerId);
  const { currency_code, time_zone } = facts;
  const name = facts.descriptive_name || customerId;
  const own = { customer_id: customerId, descriptive_name: name, login_customer_id: null, currency_code, time_zone, hint: "" };
  return { accounts: [own], isCapped: false };
}

/** Refusals that concern the one customer: a closed or suspended account does not keep the others from being offered. */
const isOfCustomer = (error: unknown): boolean =>
  error instanceof AdsFailure && ["ads_platform_permission", "ads_platform_request"].includes(error.code);

/**
 * The accounts that the caller's own grant reaches (marketing-ads §3.2). Managers are expanded and not offered themselves.
 * @throws 409 `ads_platform_not_configured`, AdsFailure
 */
export async function availableAccounts(): Promise<Static<typeof AdsPickerRead>> {
  const access = await adsAccessOf((await connectionOf())?.id ?? null);
  const body = await askAds(access, { path: "/customers:listAccessibleCustomers", operation: "customers.list" });
  const names = Array.isArray(body["resourceNames"]) ? body["resourceNames"] : [];
  const ids = names.flatMap((name) => (typeof name === "string" ? [name.replace(/\D/g, "")] : []));
  const offers: Offered[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE)
    offers.push(
      ...(await Promise.all(
        ids.slice(at, at + AT_ONCE).map((id) =>
          offeredBy(access, id).catch((error: unknown): Offered => {
            if (isOfCustomer(error)) return { accounts: [], isCapped: false };
            throw error;
          }),
        ),
      )),
    );
  // What is reached directly needs no manager.
  const all = offers.flatMap(({ accounts }) => accounts);
  const byId = new Map<string, Available>();
  for (const one of all) if (!byId.has(one.customer_id) || one.login_customer_id === null) byId.set(one.customer_id, one);
  const linked = await query<{ customer_id: string }>(LINKED, [request().organisation.id, [...byId.keys()]]);
  const isLinked = new Set(linked.map(({ customer_id }) => customer_id));
  const inOrder = new Intl.Collator("en", { sensitivity: "base", numeric: true }).compare;
  return {
    accounts: [...byId.values()]
      .toSorted((a, b) => inOrder(a.descriptive_name, b.descriptive_name) || inOrder(a.customer_id, b.customer_id))
      .map((one) => ({
        ...one,
        customer_id_formatted: formattedCustomerId(one.customer_id),
        already_linked: isLinked.has(one.customer_id),
      })),
    warnings: offers.some(({ isCapped }) => isCapped) ? [CHILDREN_CAPPED] : [],
  };
}
