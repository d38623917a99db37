/**
 * SQL: whether a link feeds its client: it is active, and its advertising account is not attached to another client (marketing-ads §2.2).
 * @param link the alias of `marketing_links`
 */
export const feeding = (link: string): string =>
  `${link}.active and (${link}.source <> 'gads' or not exists (select from ads_accounts held
    where held.organisation_id = ${link}.organisation_id and held.customer_id = regexp_replace(${link}.external_id, '[^0-9]', '', 'g')
      and held.active and held.company_id <> ${link}.company_id))`;
