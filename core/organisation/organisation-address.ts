import { runtime } from "../config/runtime.ts";
import { queryOne } from "../database/query.ts";
import { request } from "../request/context.ts";
import { statement } from "../sql/statement.ts";

/** The column `hostname` of organisation `o`: its verified domain, or null. */
export const HOSTNAME = `(select min(d.hostname) from organisation_domains d
  where d.organisation_id = o.id and d.verified_at is not null) as hostname`;

const ADDRESS = statement(`select o.slug, ${HOSTNAME} from organisations o where o.id = $1`);

/** The public scheme, host and port of an organisation: its verified domain, or its slug under the base domain (conventions §2). */
export function addressOf(slug: string, hostname: string | null): string {
  const { config, scheme, publicPort } = runtime();
  const port = publicPort === undefined || publicPort === (scheme === "https" ? 443 : 80) ? "" : `:${publicPort}`;
  return `${scheme}://${hostname ?? `${slug}.${config.baseDomain}`}${port}`;
}

/** The current organisation's address, without a trailing slash: the base of every absolute link. */
export async function organisationAddress(): Promise<string> {
  const { id, slug } = request().organisation;
  const row = await queryOne<{ slug: string; hostname: string | null }>(ADDRESS, [id]);
  return addressOf(row?.slug ?? slug, row?.hostname ?? null);
}
