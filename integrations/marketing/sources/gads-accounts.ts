import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { type AdsAccess, adsAccessOf, asCustomer, askAds, searchAds } from "../../../mixins/google-ads/transport.ts";
import { readAds } from "./ads-grant.ts";
import type { SourceAccess, SourceAccount } from "./source.ts";

/** Most accounts that one manager offers, and customers asked at once. */
const MOST_CHILDREN = 500;
const AT_ONCE = 4;

const OWN = "SELECT customer.id, customer.descriptive_name, customer.currency_code, customer.manager FROM customer LIMIT 1";
const CHILDREN =
  "SELECT customer_client.id, customer_client.descriptive_name, customer_client.currency_code FROM customer_client " +
  `WHERE customer_client.manager = false AND customer_client.status = 'ENABLED' ORDER BY customer_client.id LIMIT ${MOST_CHILDREN}`;

interface Facts {
  id?: string;
  descriptiveName?: string;
  currencyCode?: string;
  manager?: boolean;
}

const account = ({ descriptiveName, currencyCode }: Facts, id: string, manager: string | null, hint: string | null) => ({
  external_id: id,
  display_name: descriptiveName || id,
  account_hint: hint,
  config: { currency: currencyCode ?? null, manager_id: manager },
});

/** What one customer that the grant reaches offers: itself, or with one query what it manages (trap S22). */
async function offeredBy(access: AdsAccess, id: string): Promise<SourceAccount[]> {
  const own = asCustomer(access, id, id);
  const [row] = await searchAds<{ customer?: Facts }>(own, OWN, { operation: "customer.get" });
  const facts = row?.customer;
  if (!facts) return [];
  if (!facts.manager) return [account(facts, id, null, null)];
  const rows = await searchAds<{ customerClient?: Facts }>(own, CHILDREN, { operation: "customer_client.list" });
  return rows.flatMap(({ customerClient: child }) =>
    child?.id === undefined ? [] : [account(child, child.id, id, facts.descriptiveName || id)],
  );
}

/** A closed or suspended account does not keep the others from being offered. */
const isOfCustomer = (error: unknown): boolean =>
  error instanceof AdsFailure && ["ads_platform_permission", "ads_platform_request"].includes(error.code);

/** The advertising accounts that a grant reaches; what is reached directly needs no manager. @throws SourceFailure */
export const adsAccounts = (access: SourceAccess): Promise<SourceAccount[]> =>
  readAds(
    access,
    () => adsAccessOf(access.connectionId, access.transactions),
    async (ads) => {
      const body = await askAds(ads, { path: "/customers:listAccessibleCustomers", operation: "customers.list" });
      const names = Array.isArray(body["resourceNames"]) ? body["resourceNames"] : [];
      const ids = names.flatMap((name) => (typeof name === "string" ? [name.replace(/\D/g, "")] : []));
      const found = new Map<string, SourceAccount>();
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const offers = ids.slice(at, at + AT_ONCE).map((id) =>
          offeredBy(ads, id).catch((error: unknown): SourceAccount[] => {
            if (isOfCustomer(error)) return [];
            throw error;
          }),
        );
        for (const one of (await Promise.all(offers)).flat())
          if (!found.has(one.external_id) || one.config["manager_id"] === null) found.set(one.external_id, one);
      }
      const inOrder = new Intl.Collator("en", { sensitivity: "base", numeric: true }).compare;
      return [...found.values()].toSorted(
        (one, other) => inOrder(one.display_name, other.display_name) || inOrder(one.external_id, other.external_id),
      );
    },
  );
