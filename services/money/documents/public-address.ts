import { runtime } from "../../../core/config/runtime.ts";
import { addressOf, HOSTNAME } from "../../../core/organisation/organisation-address.ts";

/**
 * SQL of the public address of document `t`, empty without a token or with links off (money §12); `$4` and `$5` are `addressParts`.
 * @param kind the page of the address
 */
export const publicAddress = (kind: "invoice" | "quote"): string =>
  `coalesce((select replace($4::text, '{host}', coalesce(a.hostname, a.slug || $5::text)) || '/${kind}/' || t.public_token
  from (select o.slug, ${HOSTNAME} from organisations o where o.id = t.organisation_id) a
 where t.status <> 'draft' and t.public_token is not null
   and coalesce((select s.public_invoice_links from invoicing_settings s where s.organisation_id = t.organisation_id), true)), '')`;

/** The parts that `addressOf` puts around a host name and after a slug. */
export const addressParts = (): [address: string, behindSlug: string] => [
  addressOf("", "{host}"),
  `.${runtime().config.baseDomain}`,
];
